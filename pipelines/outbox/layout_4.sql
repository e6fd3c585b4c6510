-- From layout 4: by what clock of this machine a shop was last pushed to.
alter table services add column ticks real;
alter table services add column boot text;
