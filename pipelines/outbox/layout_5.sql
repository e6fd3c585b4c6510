-- From layout 5: a crash of one shop's push is settled by that shop's next one.
alter table unsettled add column number integer;
