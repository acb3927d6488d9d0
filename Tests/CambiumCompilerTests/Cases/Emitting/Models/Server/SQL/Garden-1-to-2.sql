-- Garden: from version 1 to version 2

-- Rebuild Plant: change the limits of Plant.name: length at most 40; add Plant.planted; drop Plant.height and its data (nobody measures) (needsData)
CREATE TABLE "_new_Plant" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "name" TEXT NOT NULL
        CONSTRAINT "Plant.name.maxLength" CHECK (length("name") <= 40),
    "planted" REAL,
    "bed" INTEGER
        REFERENCES "Bed" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED
) STRICT;
INSERT INTO "_new_Plant" ("_id", "_version", "name", "planted", "bed")
SELECT
    old."_id",
    old."_version",
    old."name",
    NULL AS "planted",
    old."bed"
FROM "Plant" AS old;
CREATE TABLE "_refusal" (
    "row" INTEGER,
    "value" ANY,
    "1" INTEGER CONSTRAINT "Plant.name contains a NUL character, which a string cannot contain" CHECK ("1")
) STRICT;
INSERT INTO "_refusal" ("row", "value", "1")
SELECT "_id", CASE WHEN NOT (instr("name", char(0)) = 0) THEN "name" END, (instr("name", char(0)) = 0) IS NOT FALSE
FROM "_new_Plant"
WHERE NOT (instr("name", char(0)) = 0) LIMIT 1;
DROP TABLE "_refusal";

-- Rebuild Bed: change the type of Bed.number to string (needsData)
CREATE TABLE "_new_Bed" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "number" TEXT NOT NULL
) STRICT;
INSERT INTO "_new_Bed" ("_id", "_version", "number")
SELECT
    old."_id",
    old."_version",
    CAST(old."number" AS TEXT) AS "number"
FROM "Bed" AS old;

-- Put the new tables in place, bring the indexes up to date (needsData)
DROP TABLE "Plant";
DROP TABLE "Bed";
ALTER TABLE "_new_Plant" RENAME TO "Plant";
ALTER TABLE "_new_Bed" RENAME TO "Bed";
CREATE INDEX "Plant.key.bed" ON "Plant" ("bed");
