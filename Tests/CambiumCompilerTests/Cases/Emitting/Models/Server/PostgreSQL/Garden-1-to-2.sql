-- Garden: from version 1 to version 2
SET LOCAL search_path = "cambium", pg_temp;

-- Drop the foreign keys of what changes (additive)
ALTER TABLE "Plant" DROP CONSTRAINT "Plant.bed.destination";

-- Rebuild Plant: change the limits of Plant.name: length at most 40; add Plant.planted; drop Plant.height and its data (nobody measures) (needsData)
CREATE TABLE "_new_Plant" (
    "_id" bigint CONSTRAINT "_new_Plant.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "name" text COLLATE "C" NOT NULL,
    "planted" timestamptz,
    "bed" bigint,
    CONSTRAINT "Plant.name.maxLength" CHECK (char_length("name") <= 40)
);
INSERT INTO "_new_Plant" ("_id", "_version", "name", "planted", "bed")
SELECT
    old."_id",
    old."_version",
    old."name",
    NULL::timestamptz AS "planted",
    old."bed"
FROM "Plant" AS old;

-- Rebuild Bed: change the type of Bed.number to string (needsData)
CREATE TABLE "_new_Bed" (
    "_id" bigint CONSTRAINT "_new_Bed.key" PRIMARY KEY,
    "_version" bigint NOT NULL DEFAULT 1,
    "number" text COLLATE "C" NOT NULL
);
INSERT INTO "_new_Bed" ("_id", "_version", "number")
SELECT
    old."_id",
    old."_version",
    (old."number")::text AS "number"
FROM "Bed" AS old;

-- Put the new tables in place, bring the indexes up to date (needsData)
DROP TABLE "Plant";
DROP TABLE "Bed";
ALTER TABLE "_new_Plant" RENAME TO "Plant";
ALTER TABLE "Plant" RENAME CONSTRAINT "_new_Plant.key" TO "Plant.key";
ALTER TABLE "_new_Bed" RENAME TO "Bed";
ALTER TABLE "Bed" RENAME CONSTRAINT "_new_Bed.key" TO "Bed.key";
CREATE INDEX "Plant.key.bed" ON "Plant" ("bed");

-- Check and add the foreign keys (additive)
ALTER TABLE "Plant" ADD CONSTRAINT "Plant.bed.destination" FOREIGN KEY ("bed") REFERENCES "Bed" ("_id") DEFERRABLE INITIALLY DEFERRED;
