CREATE SCHEMA "cambium";

CREATE TABLE "cambium"."_metadata" ("name" text COLLATE "C" PRIMARY KEY, "value" text NOT NULL);

CREATE TABLE "cambium"."_keys" ("entity" text COLLATE "C" PRIMARY KEY, "next" bigint NOT NULL);

CREATE TABLE "cambium"."_commits" ("id" uuid PRIMARY KEY, "written" timestamptz NOT NULL DEFAULT now(), "isCommitted" boolean NOT NULL DEFAULT true);

CREATE TABLE "cambium"."_external" ("name" bytea PRIMARY KEY, "data" bytea NOT NULL);

ALTER TABLE "cambium"."_external" ALTER COLUMN "data" SET STORAGE EXTERNAL;

CREATE TABLE "cambium"."Sample" (
    "_id" bigint CONSTRAINT "Sample.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "flag" boolean NOT NULL DEFAULT false,
    "short" smallint NOT NULL DEFAULT 0,
    "medium" integer NOT NULL DEFAULT 0,
    "long" bigint NOT NULL DEFAULT 0,
    "single" real NOT NULL DEFAULT '0.0'::double precision,
    "double" double precision NOT NULL DEFAULT '0.0'::double precision,
    "amount" numeric(19,2) NOT NULL DEFAULT 0,
    "text" text COLLATE "C" NOT NULL DEFAULT '',
    "moment" timestamptz NOT NULL,
    "token" uuid NOT NULL,
    "link" text COLLATE "C",
    "bytes" bytea,
    "size" bigint NOT NULL DEFAULT 20,
    "colour" text COLLATE "C",
    "maybeShort" smallint,
    "maybeLong" bigint,
    "maybeDouble" double precision,
    "maybeAmount" numeric(19,2),
    "maybeText" text COLLATE "C",
    "maybeMoment" timestamptz,
    "maybeToken" uuid,
    CONSTRAINT "Sample.amount.range" CHECK ("amount" BETWEEN -92233720368547758.08 AND 92233720368547758.07),
    CONSTRAINT "Sample.maybeAmount.range" CHECK ("maybeAmount" BETWEEN -92233720368547758.08 AND 92233720368547758.07)
);

CREATE TABLE "cambium"."Node" (
    "_id" bigint CONSTRAINT "Node.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "label" text COLLATE "C" NOT NULL DEFAULT '',
    "number" bigint NOT NULL DEFAULT 0,
    "box" bigint,
    "next" bigint
);

CREATE TABLE "cambium"."Box" (
    "_id" bigint CONSTRAINT "Box.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "name" text COLLATE "C" NOT NULL DEFAULT '',
    "topic" bigint,
    "topic_position" bigint
);

CREATE TABLE "cambium"."Topic" (
    "_id" bigint CONSTRAINT "Topic.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "name" text COLLATE "C" NOT NULL DEFAULT ''
);

CREATE TABLE "cambium"."Part" (
    "_id" bigint CONSTRAINT "Part.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "name" text COLLATE "C" NOT NULL DEFAULT '',
    "node" bigint NOT NULL
);

CREATE TABLE "cambium"."Link" (
    "_id" bigint CONSTRAINT "Link.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "name" text COLLATE "C" NOT NULL DEFAULT '',
    "predecessor" bigint,
    "parent" bigint
);

CREATE TABLE "cambium"."Being" (
    "_id" bigint CONSTRAINT "Being.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "_entity" text COLLATE "C" NOT NULL,
    "name" text COLLATE "C" NOT NULL,
    "home" bigint,
    "age" smallint,
    "serial" text COLLATE "C",
    CONSTRAINT "Being.name.minLength" CHECK (char_length("name") >= 1),
    CONSTRAINT "Person.age.min" CHECK ("age" >= 0),
    CONSTRAINT "Person.age.max" CHECK ("age" <= 150),
    CONSTRAINT "Person.age.required" CHECK ("_entity" <> 'Person' OR "age" IS NOT NULL),
    CONSTRAINT "Robot.serial.required" CHECK ("_entity" <> 'Robot' OR "serial" IS NOT NULL)
);

CREATE TABLE "cambium"."Passport" (
    "_id" bigint CONSTRAINT "Passport.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "number" text COLLATE "C" NOT NULL,
    "holder" bigint NOT NULL
);

CREATE TABLE "cambium"."Home" (
    "_id" bigint CONSTRAINT "Home.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "street" text COLLATE "C" NOT NULL DEFAULT '',
    "owner" bigint,
    "owner_entity" text COLLATE "C"
);

CREATE TABLE "cambium"."Limited" (
    "_id" bigint CONSTRAINT "Limited.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "code" text COLLATE "C",
    "count" integer NOT NULL DEFAULT 5,
    "ratio" double precision NOT NULL DEFAULT '0.5'::double precision,
    "amount" numeric(19,2),
    "moment" timestamptz,
    "bytes" bytea,
    "low" bigint NOT NULL DEFAULT 0,
    "high" bigint NOT NULL DEFAULT 0,
    CONSTRAINT "Limited.code.minLength" CHECK (char_length("code") >= 2),
    CONSTRAINT "Limited.code.maxLength" CHECK (char_length("code") <= 4),
    CONSTRAINT "Limited.code.pattern" CHECK ("code" ~ '^(?:[A-Z]+)$'),
    CONSTRAINT "Limited.count.min" CHECK ("count" >= 1),
    CONSTRAINT "Limited.count.max" CHECK ("count" <= 10),
    CONSTRAINT "Limited.ratio.min" CHECK ("ratio" >= '0.0'::double precision),
    CONSTRAINT "Limited.ratio.max" CHECK ("ratio" <= '1.0'::double precision),
    CONSTRAINT "Limited.amount.range" CHECK ("amount" BETWEEN -92233720368547758.08 AND 92233720368547758.07),
    CONSTRAINT "Limited.amount.min" CHECK ("amount" >= -1.5),
    CONSTRAINT "Limited.amount.max" CHECK ("amount" <= 1.5),
    CONSTRAINT "Limited.moment.min" CHECK ("moment" >= '2000-01-01 00:00:00+00'::timestamptz),
    CONSTRAINT "Limited.moment.max" CHECK ("moment" <= '2100-01-01 00:00:00+00'::timestamptz),
    CONSTRAINT "Limited.bytes.minLength" CHECK (octet_length("bytes") >= 1),
    CONSTRAINT "Limited.bytes.maxLength" CHECK (octet_length("bytes") <= 3),
    CONSTRAINT "Limited.rule.lowIsLow" CHECK (coalesce("low" <= "high", false))
);

CREATE TABLE "cambium"."Member" (
    "_id" bigint CONSTRAINT "Member.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "name" text COLLATE "C" NOT NULL DEFAULT '',
    "team" bigint
);

CREATE TABLE "cambium"."Place" (
    "_id" bigint CONSTRAINT "Place.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "longitude" double precision NOT NULL,
    "latitude" double precision NOT NULL DEFAULT '0.0'::double precision,
    "name" text COLLATE "C",
    CONSTRAINT "Place.longitude.min" CHECK ("longitude" >= '-180.0'::double precision),
    CONSTRAINT "Place.longitude.max" CHECK ("longitude" <= '180.0'::double precision)
);

CREATE TABLE "cambium"."Tally" (
    "_id" bigint CONSTRAINT "Tally.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "title" text COLLATE "C" NOT NULL DEFAULT '',
    "note" text COLLATE "C" NOT NULL DEFAULT '',
    "greatest" bigint NOT NULL DEFAULT 0,
    "least" double precision NOT NULL DEFAULT '0.0'::double precision,
    "total" bigint NOT NULL DEFAULT 0,
    "balance" double precision NOT NULL DEFAULT '0.0'::double precision,
    "theirs" text COLLATE "C" NOT NULL DEFAULT '',
    "ours" text COLLATE "C" NOT NULL DEFAULT ''
);

CREATE TABLE "cambium"."Watched" (
    "_id" bigint CONSTRAINT "Watched.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "name" text COLLATE "C" NOT NULL DEFAULT 'unnamed',
    "count" bigint NOT NULL DEFAULT 0,
    "predecessor" bigint,
    CONSTRAINT "Watched.count.max" CHECK ("count" <= 1000000)
);

CREATE TABLE "cambium"."WatchedPart" (
    "_id" bigint CONSTRAINT "WatchedPart.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "name" text COLLATE "C" NOT NULL,
    "whole" bigint,
    CONSTRAINT "WatchedPart.name.minLength" CHECK (char_length("name") >= 1)
);

CREATE TABLE "cambium"."Node_tags" (
    "_source" bigint NOT NULL,
    "_destination" bigint NOT NULL,
    CONSTRAINT "Node_tags.key" PRIMARY KEY ("_source", "_destination")
);

CREATE TABLE "cambium"."Node_followers" (
    "_source" bigint NOT NULL,
    "_destination" bigint NOT NULL,
    CONSTRAINT "Node_followers.key" PRIMARY KEY ("_source", "_destination")
);

CREATE TABLE "cambium"."Node_queue" (
    "_source" bigint NOT NULL,
    "_destination" bigint NOT NULL,
    "_source_position" bigint,
    CONSTRAINT "Node_queue.key" PRIMARY KEY ("_source", "_destination")
);

ALTER TABLE "cambium"."Node" ADD CONSTRAINT "Node.box.destination" FOREIGN KEY ("box") REFERENCES "cambium"."Box" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Node" ADD CONSTRAINT "Node.next.destination" FOREIGN KEY ("next") REFERENCES "cambium"."Node" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Box" ADD CONSTRAINT "Box.topic.destination" FOREIGN KEY ("topic") REFERENCES "cambium"."Topic" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Part" ADD CONSTRAINT "Part.node.destination" FOREIGN KEY ("node") REFERENCES "cambium"."Node" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Link" ADD CONSTRAINT "Link.predecessor.destination" FOREIGN KEY ("predecessor") REFERENCES "cambium"."Link" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Link" ADD CONSTRAINT "Link.parent.destination" FOREIGN KEY ("parent") REFERENCES "cambium"."Link" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Being" ADD CONSTRAINT "Being.home.destination" FOREIGN KEY ("home") REFERENCES "cambium"."Home" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Passport" ADD CONSTRAINT "Passport.holder.destination" FOREIGN KEY ("holder") REFERENCES "cambium"."Being" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Home" ADD CONSTRAINT "Home.owner.destination" FOREIGN KEY ("owner") REFERENCES "cambium"."Being" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Member" ADD CONSTRAINT "Member.team.destination" FOREIGN KEY ("team") REFERENCES "cambium"."Limited" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Watched" ADD CONSTRAINT "Watched.predecessor.destination" FOREIGN KEY ("predecessor") REFERENCES "cambium"."Watched" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."WatchedPart" ADD CONSTRAINT "WatchedPart.whole.destination" FOREIGN KEY ("whole") REFERENCES "cambium"."Watched" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Node_tags" ADD CONSTRAINT "Node_tags._source.destination" FOREIGN KEY ("_source") REFERENCES "cambium"."Node" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Node_tags" ADD CONSTRAINT "Node_tags._destination.destination" FOREIGN KEY ("_destination") REFERENCES "cambium"."Topic" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Node_followers" ADD CONSTRAINT "Node_followers._source.destination" FOREIGN KEY ("_source") REFERENCES "cambium"."Node" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Node_followers" ADD CONSTRAINT "Node_followers._destination.destination" FOREIGN KEY ("_destination") REFERENCES "cambium"."Node" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Node_queue" ADD CONSTRAINT "Node_queue._source.destination" FOREIGN KEY ("_source") REFERENCES "cambium"."Node" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Node_queue" ADD CONSTRAINT "Node_queue._destination.destination" FOREIGN KEY ("_destination") REFERENCES "cambium"."Topic" ("_id") DEFERRABLE INITIALLY DEFERRED;

CREATE INDEX "Node.key.box" ON "cambium"."Node" ("box");

CREATE INDEX "Node.key.next" ON "cambium"."Node" ("next");

CREATE INDEX "Box.key.topic" ON "cambium"."Box" ("topic", "topic_position");

CREATE INDEX "Part.key.node" ON "cambium"."Part" ("node");

CREATE INDEX "Link.key.predecessor" ON "cambium"."Link" ("predecessor");

CREATE INDEX "Link.key.parent" ON "cambium"."Link" ("parent");

CREATE INDEX "Being.key.home" ON "cambium"."Being" ("home");

CREATE UNIQUE INDEX "Robot.unique.serial" ON "cambium"."Being" ("serial") WHERE "_entity" = 'Robot';

CREATE INDEX "Passport.key.holder" ON "cambium"."Passport" ("holder");

CREATE INDEX "Home.key.owner" ON "cambium"."Home" ("owner");

CREATE UNIQUE INDEX "Limited.unique.code" ON "cambium"."Limited" ("code");

CREATE INDEX "Member.key.team" ON "cambium"."Member" ("team");

CREATE INDEX "Watched.key.predecessor" ON "cambium"."Watched" ("predecessor");

CREATE INDEX "WatchedPart.key.whole" ON "cambium"."WatchedPart" ("whole");

CREATE INDEX "Node.key.tags" ON "cambium"."Node_tags" ("_destination", "_source");

CREATE INDEX "Node.key.followers" ON "cambium"."Node_followers" ("_destination", "_source");

CREATE INDEX "Node.key.queue" ON "cambium"."Node_queue" ("_destination", "_source");

CREATE INDEX "Node.order.queue" ON "cambium"."Node_queue" ("_source", "_source_position", "_destination");

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('Sample', 1);

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('Node', 1);

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('Box', 1);

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('Topic', 1);

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('Part', 1);

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('Link', 1);

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('Being', 1);

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('Passport', 1);

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('Home', 1);

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('Limited', 1);

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('Member', 1);

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('Place', 1);

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('Tally', 1);

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('Watched', 1);

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('WatchedPart', 1);

CREATE SEQUENCE "cambium"."_history_sequence";

CREATE TABLE "cambium"."_history_state" ("last" bigint NOT NULL, "floor" bigint NOT NULL);

INSERT INTO "cambium"."_history_state" ("last", "floor") VALUES (0, 0);

CREATE TABLE "cambium"."_history_transactions" (
    "id" bigint PRIMARY KEY,
    "rank" bigint NOT NULL,
    "number" bigint UNIQUE,
    "date" timestamptz NOT NULL,
    "author" text COLLATE "C",
    "context" text COLLATE "C",
    "process" text COLLATE "C",
    "processID" bigint,
    "writer" text COLLATE "C"
);

CREATE INDEX "_history_unnumbered" ON "cambium"."_history_transactions" ("rank") WHERE "number" IS NULL;

CREATE TABLE "cambium"."_history_changes" (
    "transaction" bigint,
    "number" bigint GENERATED ALWAYS AS IDENTITY,
    "kind" smallint NOT NULL,
    "entity" text COLLATE "C" NOT NULL,
    "key" bigint NOT NULL,
    "properties" text COLLATE "C" NOT NULL DEFAULT '',
    "columns" text[] COLLATE "C",
    "old" bytea[],
    "new" bytea[],
    PRIMARY KEY ("transaction", "number")
);

