-- From layout 5: a crash of one shop's push is settled by that shop's next one; what time it was at
-- the service when a change was queued.
alter table unsettled add column number integer;
alter table changes add column queued_there real;
