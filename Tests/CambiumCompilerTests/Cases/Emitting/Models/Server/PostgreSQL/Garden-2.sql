-- The schema of Garden, version 2
CREATE SCHEMA "cambium";
CREATE TABLE "cambium"."_metadata" ("name" text COLLATE "C" PRIMARY KEY, "value" text NOT NULL);
CREATE TABLE "cambium"."_keys" ("entity" text COLLATE "C" PRIMARY KEY, "next" bigint NOT NULL);
CREATE TABLE "cambium"."_commits" ("id" uuid PRIMARY KEY, "written" timestamptz NOT NULL DEFAULT now(), "isCommitted" boolean NOT NULL DEFAULT true);
CREATE TABLE "cambium"."_external" ("name" bytea PRIMARY KEY, "data" bytea NOT NULL);
ALTER TABLE "cambium"."_external" ALTER COLUMN "data" SET STORAGE EXTERNAL;
CREATE TABLE "cambium"."Plant" (
    "_id" bigint CONSTRAINT "Plant.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "name" text COLLATE "C" NOT NULL,
    "planted" timestamptz,
    "bed" bigint,
    CONSTRAINT "Plant.name.maxLength" CHECK (char_length("name") <= 40)
);
CREATE TABLE "cambium"."Bed" (
    "_id" bigint CONSTRAINT "Bed.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "number" text COLLATE "C" NOT NULL
);
ALTER TABLE "cambium"."Plant" ADD CONSTRAINT "Plant.bed.destination" FOREIGN KEY ("bed") REFERENCES "cambium"."Bed" ("_id") DEFERRABLE INITIALLY DEFERRED;
CREATE INDEX "Plant.key.bed" ON "cambium"."Plant" ("bed");
INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('Plant', 1);
INSERT INTO "cambium"."_keys" ("entity", "next") VALUES ('Bed', 1);
