CREATE SCHEMA "cambium";

CREATE TABLE "cambium"."_metadata" ("name" text COLLATE "C" PRIMARY KEY, "value" text NOT NULL);

CREATE TABLE "cambium"."_keys" ("entity" text COLLATE "C" PRIMARY KEY, "next" bigint NOT NULL);

CREATE TABLE "cambium"."_commits" ("id" uuid PRIMARY KEY, "written" timestamptz NOT NULL DEFAULT now(), "isCommitted" boolean NOT NULL DEFAULT true);

CREATE TABLE "cambium"."_external" ("name" bytea PRIMARY KEY, "data" bytea NOT NULL);

ALTER TABLE "cambium"."_external" ALTER COLUMN "data" SET STORAGE EXTERNAL;

CREATE TABLE "cambium"."account" (
    "_id" bigint CONSTRAINT "account.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "_entity" text COLLATE "C" NOT NULL,
    "home_latitude" double precision,
    "home_note" text COLLATE "C",
    "level" bigint NOT NULL DEFAULT 1,
    "rank" integer NOT NULL DEFAULT 1,
    "colour" text COLLATE "C",
    "balance" numeric(19,2) NOT NULL DEFAULT -0.5,
    "small" numeric(19,18),
    "exact" numeric NOT NULL DEFAULT 0,
    "span" bigint,
    "seen" timestamptz NOT NULL,
    "saved" timestamptz,
    "link" text COLLATE "C",
    "list" text COLLATE "C",
    "photo" bytea,
    "hash" bytea,
    "code" text COLLATE "C",
    "orderCount" bigint,
    "codeLength" bigint GENERATED ALWAYS AS (char_length("code")) STORED,
    "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~4a4664764aca" text COLLATE "C",
    "fee" real,
    "doubleRank" bigint GENERATED ALWAYS AS (CASE WHEN "_entity" IN ('special') THEN (CASE WHEN (("rank")::numeric * ('2'::bigint)::numeric) * 1 BETWEEN -9223372036854775807 AND 9223372036854775806 THEN (("rank")::numeric * ('2'::bigint)::numeric)::bigint END) END) STORED,
    "xßßßßßßßßßßßßßßßßßßßßßßßß~12d0fd06a46d" text COLLATE "C",
    CONSTRAINT "account.balance.range" CHECK ("balance" BETWEEN -92233720368547758.08 AND 92233720368547758.07),
    CONSTRAINT "account.balance.min" CHECK ("balance" >= -100),
    CONSTRAINT "account.small.range" CHECK ("small" BETWEEN -9.223372036854775808 AND 9.223372036854775807),
    CONSTRAINT "account.exact.max" CHECK ("exact" <= 1000),
    CONSTRAINT "account.hash.minLength" CHECK (octet_length("hash") >= 1),
    CONSTRAINT "account.hash.maxLength" CHECK (octet_length("hash") <= 3),
    CONSTRAINT "account.code.minLength" CHECK (char_length("code") >= 2),
    CONSTRAINT "account.code.maxLength" CHECK (char_length("code") <= 4),
    CONSTRAINT "account.code.pattern" CHECK ("code" ~ '^(?:[A-Z]+)$'),
    CONSTRAINT "special.Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~db21efa506b8" CHECK ("_entity" <> 'special' OR "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~4a4664764aca" IS NOT NULL),
    CONSTRAINT "special.fee.required" CHECK ("_entity" <> 'special' OR "fee" IS NOT NULL),
    CONSTRAINT "account.home.presence" CHECK ("home_latitude" IS NULL AND "home_note" IS NULL OR "home_latitude" IS NOT NULL),
    CONSTRAINT "account.rule.notTooLong" CHECK (coalesce("rank" < '9'::bigint, false))
);

CREATE TABLE "cambium"."account_pkey" (
    "_id" bigint CONSTRAINT "account_pkey.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "name" text COLLATE "C" NOT NULL
);

CREATE TABLE "cambium"."order" (
    "_id" bigint CONSTRAINT "order.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "select" boolean NOT NULL DEFAULT true,
    "user" text COLLATE "C" NOT NULL DEFAULT 'it''s \ "$1"',
    "xmin~eafb2f50be97" double precision NOT NULL,
    "xmax~b8b109a1098d" double precision NOT NULL,
    "ctid~a67689179f72" uuid,
    "width" double precision,
    "double width" double precision,
    "table" bigint,
    "table_entity" text COLLATE "C"
);

CREATE TABLE "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~d70bc4254e91" (
    "_id" bigint CONSTRAINT "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~07533e487986" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~afe6ad18d183" integer NOT NULL DEFAULT 1,
    "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~33119e55f0c3" text COLLATE "C",
    "xßßßßßßßßßßßßßßßßßßßßßßßß~7fb3f7546465" double precision,
    "xßßßßßßßßßßßßßßßßßßßßßßßß~b7f1a7ef9d03" text COLLATE "C",
    "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~3bad7a3aefff" bigint GENERATED ALWAYS AS ((CASE WHEN (("Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~afe6ad18d183")::numeric + ('1'::bigint)::numeric) * 1 BETWEEN -9223372036854775807 AND 9223372036854775806 THEN (("Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~afe6ad18d183")::numeric + ('1'::bigint)::numeric)::bigint END)) STORED,
    "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~cb34e598c480" bigint,
    "xßßßßßßßßßßßßßßßßßßßßßßßß~c8024498ac58" bigint,
    "xßßßßßßßßßßßßßßßßßßßßßßßß~2bc35b8a5a14" text COLLATE "C",
    CONSTRAINT "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~36bbda4e4fbf" CHECK ("Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~afe6ad18d183" >= 0),
    CONSTRAINT "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~eebe6703d702" CHECK ("Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~afe6ad18d183" <= 9),
    CONSTRAINT "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~77af223b557b" CHECK ("xßßßßßßßßßßßßßßßßßßßßßßßß~7fb3f7546465" IS NULL AND "xßßßßßßßßßßßßßßßßßßßßßßßß~b7f1a7ef9d03" IS NULL OR "xßßßßßßßßßßßßßßßßßßßßßßßß~7fb3f7546465" IS NOT NULL)
);

CREATE TABLE "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~bfe4573bff1c" (
    "_id" bigint CONSTRAINT "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~08c0555de654" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~afe6ad18d183" integer NOT NULL DEFAULT 1,
    "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~33119e55f0c3" text COLLATE "C",
    "xßßßßßßßßßßßßßßßßßßßßßßßß~7fb3f7546465" double precision,
    "xßßßßßßßßßßßßßßßßßßßßßßßß~b7f1a7ef9d03" text COLLATE "C",
    "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~3bad7a3aefff" bigint GENERATED ALWAYS AS ((CASE WHEN (("Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~afe6ad18d183")::numeric + ('1'::bigint)::numeric) * 1 BETWEEN -9223372036854775807 AND 9223372036854775806 THEN (("Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~afe6ad18d183")::numeric + ('1'::bigint)::numeric)::bigint END)) STORED,
    "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~cb34e598c480" bigint,
    "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~049b1f11bdf1" bigint,
    "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~bc1329f7d28b" bigint,
    "xßßßßßßßßßßßßßßßßßßßßßßßß~c8024498ac58" bigint,
    "xßßßßßßßßßßßßßßßßßßßßßßßß~2bc35b8a5a14" text COLLATE "C",
    CONSTRAINT "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~83f6cf94eb95" CHECK ("Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~afe6ad18d183" >= 0),
    CONSTRAINT "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~b33c317a46bc" CHECK ("Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~afe6ad18d183" <= 9),
    CONSTRAINT "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~83d82091a9bc" CHECK ("xßßßßßßßßßßßßßßßßßßßßßßßß~7fb3f7546465" IS NULL AND "xßßßßßßßßßßßßßßßßßßßßßßßß~b7f1a7ef9d03" IS NULL OR "xßßßßßßßßßßßßßßßßßßßßßßßß~7fb3f7546465" IS NOT NULL)
);

CREATE TABLE "cambium"."order_cmin" (
    "_source" bigint NOT NULL,
    "_destination" bigint NOT NULL,
    "_destination_position" bigint,
    CONSTRAINT "order_cmin.key" PRIMARY KEY ("_source", "_destination")
);

CREATE TABLE "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~b54eecb12f47" (
    "_source" bigint NOT NULL,
    "_destination" bigint NOT NULL,
    "_source_position" bigint,
    "_destination_position" bigint,
    CONSTRAINT "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~52a001857c01" PRIMARY KEY ("_source", "_destination")
);

ALTER TABLE "cambium"."order" ADD CONSTRAINT "order.table.destination" FOREIGN KEY ("table") REFERENCES "cambium"."account" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~d70bc4254e91" ADD CONSTRAINT "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~27ca8db029ec" FOREIGN KEY ("xßßßßßßßßßßßßßßßßßßßßßßßß~c8024498ac58") REFERENCES "cambium"."account" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~bfe4573bff1c" ADD CONSTRAINT "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~e0f839afe600" FOREIGN KEY ("Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~049b1f11bdf1") REFERENCES "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~d70bc4254e91" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~bfe4573bff1c" ADD CONSTRAINT "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~85fb0abf78e3" FOREIGN KEY ("xßßßßßßßßßßßßßßßßßßßßßßßß~c8024498ac58") REFERENCES "cambium"."account" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."order_cmin" ADD CONSTRAINT "order_cmin._source.destination" FOREIGN KEY ("_source") REFERENCES "cambium"."order" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."order_cmin" ADD CONSTRAINT "order_cmin._destination.destination" FOREIGN KEY ("_destination") REFERENCES "cambium"."order" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~b54eecb12f47" ADD CONSTRAINT "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~63d8bc729f5f" FOREIGN KEY ("_source") REFERENCES "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~d70bc4254e91" ("_id") DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~b54eecb12f47" ADD CONSTRAINT "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~5e76e9e8a2ec" FOREIGN KEY ("_destination") REFERENCES "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~bfe4573bff1c" ("_id") DEFERRABLE INITIALLY DEFERRED;

CREATE UNIQUE INDEX "account.unique.code" ON "cambium"."account" ("code");

CREATE INDEX "account.index.computed" ON "cambium"."account" ((char_length("code")));

CREATE INDEX "account.index.rank" ON "cambium"."account" ("rank") WHERE "rank" > '1'::bigint;

CREATE UNIQUE INDEX "special.unique.Lengthy_Lengthy_Lengthy_Lengthy_Len~c6b35237608b" ON "cambium"."account" ("Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~4a4664764aca") WHERE "_entity" = 'special';

CREATE INDEX "order.key.table" ON "cambium"."order" ("table");

CREATE UNIQUE INDEX "order.unique.user+xmin" ON "cambium"."order" ("user", "xmin~eafb2f50be97");

CREATE INDEX "order.index.xmax descending+table" ON "cambium"."order" ("xmax~b8b109a1098d" DESC, "table");

CREATE INDEX "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~e354a73448b5" ON "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~d70bc4254e91" ("xßßßßßßßßßßßßßßßßßßßßßßßß~c8024498ac58");

CREATE UNIQUE INDEX "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~00b8b658f25f" ON "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~d70bc4254e91" ("Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~afe6ad18d183", "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~33119e55f0c3");

CREATE UNIQUE INDEX "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~65dfdae1dae8" ON "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~d70bc4254e91" ("Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~33119e55f0c3");

CREATE INDEX "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~4605ef696ae1" ON "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~d70bc4254e91" ("Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~afe6ad18d183" DESC, "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~33119e55f0c3");

CREATE INDEX "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~552827847eb1" ON "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~bfe4573bff1c" ("Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~049b1f11bdf1", "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~bc1329f7d28b");

CREATE INDEX "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~827c76d3a7f4" ON "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~bfe4573bff1c" ("xßßßßßßßßßßßßßßßßßßßßßßßß~c8024498ac58");

CREATE UNIQUE INDEX "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~b6e65f147b9e" ON "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~bfe4573bff1c" ("Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~afe6ad18d183", "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~33119e55f0c3");

CREATE UNIQUE INDEX "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~ba1d6fd27461" ON "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~bfe4573bff1c" ("Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~33119e55f0c3");

CREATE INDEX "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~44320e97416e" ON "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~bfe4573bff1c" ("Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~afe6ad18d183" DESC, "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~33119e55f0c3");

CREATE INDEX "order.key.cmin" ON "cambium"."order_cmin" ("_destination", "_source");

CREATE INDEX "order.order.tableoid" ON "cambium"."order_cmin" ("_destination", "_destination_position", "_source");

CREATE INDEX "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~b9663093fb74" ON "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~b54eecb12f47" ("_destination", "_source");

CREATE INDEX "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~8bdf9d14820f" ON "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~b54eecb12f47" ("_source", "_source_position", "_destination");

CREATE INDEX "Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~1d3aba596917" ON "cambium"."Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Le~b54eecb12f47" ("_destination", "_destination_position", "_source");

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('account', 1);

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('account_pkey', 1);

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('order', 1);

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_A', 1);

INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_Lengthy_B', 1);

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

