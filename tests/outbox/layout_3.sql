BEGIN TRANSACTION;
CREATE TABLE changes (
    number integer primary key autoincrement,
    shop text not null, resource text not null, op text not null,
    record_id text,              -- target of an update, delete or upload; '@12' until known
    body text not null,          -- as queued, references as {"$queued": 12}
    base text not null,          -- what the change was based on
    file text,                   -- upload: path, name, size, sha256
    marker text,                 -- token put into a free-text field, if the user allowed it
    state text not null, id text, reason text not null default '',
    queued_by text not null, queued_at real not null,
    attempts integer not null default 0,
    sent_body text, sent_at real, baseline text,
    progress text not null default '{}',
    lookups integer not null default 0, next_lookup real,
    for_person integer not null default 0, alone integer not null default 0,
    merged_into integer,
    answer text, pushed_at real, service integer, doubted_since real, is_copied integer not null default 0);
INSERT INTO "changes" VALUES(1,'main','brands','create',NULL,'{"name": "Done"}','{}',NULL,NULL,'done','9','','ann',1.79550672311416387562e+09,0,NULL,NULL,NULL,'{}',0,NULL,0,0,NULL,NULL,1790000000.0,1,NULL,0);
INSERT INTO "changes" VALUES(2,'main','brands','create',NULL,'{"name": "Waits"}','{}',NULL,NULL,'queued',NULL,'','ann',1.79550672313640499117e+09,0,NULL,NULL,NULL,'{}',0,NULL,0,0,NULL,NULL,NULL,1,NULL,0);
INSERT INTO "changes" VALUES(3,'main','payments','create',NULL,'{"invoiceId": "INVOICE", "lines": [{"amount": 5, "paymentMethod": "1", "paymentNote": "[sm-1234567890]"}]}','{}',NULL,'sm-1234567890','in_doubt',NULL,'no answer','ann',1.79550672315852379795e+09,1,'{"invoiceId": "INVOICE", "lines": [{"amount": 5, "paymentMethod": "1", "paymentNote": "[sm-1234567890]"}]}',1790000000.0,'{"ids": [], "since": "", "listed": false}','{}',0,NULL,1,0,NULL,NULL,NULL,1,NULL,0);
INSERT INTO "changes" VALUES(4,'main','brands','create',NULL,'{"name": "No"}','{}',NULL,NULL,'rejected',NULL,'no','ann',1.79550672317494320866e+09,0,NULL,NULL,NULL,'{}',0,NULL,0,0,NULL,NULL,NULL,1,NULL,0);
INSERT INTO "changes" VALUES(5,'main','products','update','77','{"stockQuantity": 2}','{}',NULL,NULL,'sending',NULL,'','ann',1.7955067231951625347e+09,1,NULL,NULL,NULL,'{}',0,NULL,0,0,NULL,NULL,NULL,1,NULL,0);
CREATE TABLE history (
    number integer not null, at real not null, event text not null, detail text not null);
INSERT INTO "history" VALUES(1,1.79550672311416387562e+09,'queued','by ann');
INSERT INTO "history" VALUES(2,1.79550672313640499117e+09,'queued','by ann');
INSERT INTO "history" VALUES(3,1.79550672315852379795e+09,'queued','by ann');
INSERT INTO "history" VALUES(4,1.79550672317494320866e+09,'queued','by ann');
INSERT INTO "history" VALUES(5,1.7955067231951625347e+09,'queued','by ann');
INSERT INTO "history" VALUES(1,1.79550672320260858542e+09,'sending','');
INSERT INTO "history" VALUES(1,1.79550672320388603206e+09,'done','');
INSERT INTO "history" VALUES(3,1795506723.20637,'sending','');
INSERT INTO "history" VALUES(3,1.79550672321299624447e+09,'in doubt','no answer');
INSERT INTO "history" VALUES(4,1.79550672321348047258e+09,'rejected','no');
INSERT INTO "history" VALUES(5,1.79550672321385288232e+09,'sending','');
CREATE TABLE identity (
    one integer primary key check (one = 1),
    queue text not null,         -- drawn when the file was made
    machine text not null, path text not null,
    boot text not null, ticks real not null,      -- when it was last used
    era real not null,           -- what makes of this boot's ticks a time that never goes back
    watermark text not null,          -- what is known of the file outbox.watermark
    pushing integer not null default 0);
INSERT INTO "identity" VALUES(1,'6299ef64b3554d3e88daba412b888958','','/elsewhere/outbox.sqlite','b',6310.882801556,1.7955004123126859665e+09,'2352299 1795506723042571610 1795506723042571610',0);
CREATE TABLE services (
    id integer primary key,
    shop text not null,
    address text not null,       -- as people may see it: without a user, a password, a query
    address_hash text not null,
    key_hash text not null,      -- slow, salted with identity.queue
    last_at real,                -- the service's time when the queue was last used
    skew real,                   -- seconds the service was ahead of our clock then,
    boot text, shift real);
INSERT INTO "services" VALUES(1,'main','http://127.0.0.1:9/v1','cd4a9f297a66ee3b7bc507da6aeca6dc','d13224bb9e4a9999dc73f32d0ea55545',NULL,NULL,NULL,NULL);
CREATE TABLE touched (
    shop text not null, resource text not null, id text not null,
    pushed_at real not null, mirrored_at real, number integer,
    primary key (shop, resource, id));
INSERT INTO "touched" VALUES('main','brands','9',1790000000.0,1790000100.0,1);
CREATE INDEX changes_by_state on changes (shop, state, number);
CREATE INDEX changes_by_record on changes (shop, resource, record_id, number);
CREATE INDEX changes_by_id on changes (shop, resource, id);
CREATE INDEX changes_by_merge on changes (merged_into);
CREATE INDEX history_by_number on history (number);
CREATE UNIQUE INDEX services_by_hash on services (shop, address_hash, key_hash);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('changes',5);
COMMIT;
pragma user_version = 3;
