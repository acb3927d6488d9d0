-- Albums: from version 1 to version 2

-- Prepare Album: drop Album.credits and its data (findArtists reads them); add Album.artist; require Album.artist (needsData)
CREATE TABLE "_step_Album" ("_id" INTEGER PRIMARY KEY, "_version", "class", "kind", "maker_label", "maker_city", "cover", "notes", "price", "artist");
INSERT INTO "_step_Album" ("_id", "_version", "class", "kind", "maker_label", "maker_city", "cover", "notes", "price", "artist")
SELECT
    old."_id",
    old."_version",
    old."class",
    old."kind",
    old."maker_label",
    old."maker_city",
    old."cover",
    old."notes",
    old."price",
    NULL AS "artist"
FROM "Album" AS old;

-- Prepare Person: add Artist (additive)
CREATE TABLE "_step_Person" ("_id" INTEGER PRIMARY KEY, "_version", "_entity", "name", "since");
INSERT INTO "_step_Person" ("_id", "_version", "_entity", "name", "since")
SELECT
    "_id",
    "_version",
    "_entity",
    "name",
    CASE WHEN "_entity" IN ('Artist') THEN ((julianday('now') - 2451910.5) * 86400.0) END
FROM (
SELECT
    old."_id",
    old."_version",
    old."_entity",
    old."name",
    NULL AS "since"
FROM "Person" AS old
);

-- Rebuild Album_fans (reversible)
CREATE TABLE "_new_Album_fans" (
    "_source" INTEGER NOT NULL
        REFERENCES "Album" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    "_destination" INTEGER NOT NULL
        REFERENCES "Person" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY ("_source", "_destination")
) STRICT, WITHOUT ROWID;
INSERT INTO "_new_Album_fans" ("_source", "_destination")
SELECT
    old."_source",
    old."_destination"
FROM "Album_fans" AS old;

-- Run findArtists of the program (needsCode)
CREATE TABLE "_code_keys" ("entity" TEXT PRIMARY KEY, "next" INTEGER NOT NULL) STRICT;
CREATE TABLE "_code_entities" ("entity" TEXT PRIMARY KEY, "successor" TEXT NOT NULL, "shift" INTEGER NOT NULL) STRICT;
CREATE TABLE "_code_successors" ("root" TEXT, "key" INTEGER, "newRoot" TEXT, "newKey" INTEGER NOT NULL, PRIMARY KEY ("root", "key", "newRoot")) STRICT, WITHOUT ROWID;
CREATE TABLE "_code_deletions" ("root" TEXT, "key" INTEGER, PRIMARY KEY ("root", "key")) STRICT, WITHOUT ROWID;
INSERT INTO "_code_keys" ("entity", "next") VALUES ('Album', 1 + coalesce((SELECT sum("next" - 1) FROM "_keys" WHERE "entity" IN ('Album')), 0));
INSERT INTO "_code_keys" ("entity", "next") VALUES ('Person', 1 + coalesce((SELECT sum("next" - 1) FROM "_keys" WHERE "entity" IN ('Person')), 0));
INSERT INTO "_code_entities" ("entity", "successor", "shift") VALUES ('Album', 'Album', 0);
INSERT INTO "_code_entities" ("entity", "successor", "shift") VALUES ('Song', 'Song', 0);
INSERT INTO "_code_entities" ("entity", "successor", "shift") VALUES ('Person', 'Person', 0);
INSERT INTO "_code_entities" ("entity", "successor", "shift") VALUES ('Listener', 'Listener', 0);

-- Run init of the program (needsCode)

-- Check what findArtists, init have written (needsData)
UPDATE "_step_Album" SET "artist" = NULL WHERE "artist" IN (SELECT "key" FROM "_code_deletions" WHERE "root" = 'Person');
UPDATE "Song" SET "album" = NULL WHERE "album" IN (SELECT "key" FROM "_code_deletions" WHERE "root" = 'Album');
DELETE FROM "_new_Album_fans" WHERE "_source" IN (SELECT "key" FROM "_code_deletions" WHERE "root" = 'Album');
DELETE FROM "_new_Album_fans" WHERE "_destination" IN (SELECT "key" FROM "_code_deletions" WHERE "root" = 'Person');
CREATE TABLE "_new_Album" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "class" TEXT NOT NULL,
    "kind" INTEGER NOT NULL DEFAULT 2,
    "maker_label" TEXT NOT NULL,
    "maker_city" TEXT,
    "cover" BLOB,
    "notes" TEXT,
    "price" INTEGER NOT NULL,
    "artist" INTEGER NOT NULL
        REFERENCES "Person" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED
) STRICT;
INSERT INTO "_new_Album" ("_id", "_version", "class", "kind", "maker_label", "maker_city", "cover", "notes", "price", "artist")
SELECT "_id", "_version", "class", "kind", "maker_label", "maker_city", "cover", "notes", "price", "artist"
FROM "_step_Album";
DROP TABLE "_step_Album";
CREATE TABLE "_new_Person" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "_entity" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "since" REAL,
    CONSTRAINT "Artist.since.required" CHECK ("_entity" <> 'Artist' OR "since" IS NOT NULL)
) STRICT;
INSERT INTO "_new_Person" ("_id", "_version", "_entity", "name", "since")
SELECT "_id", "_version", "_entity", "name", "since"
FROM "_step_Person";
DROP TABLE "_step_Person";

-- Put the new tables in place, bring the indexes up to date (needsData)
DROP TABLE "Album";
DROP TABLE "Person";
DROP TABLE "Album_fans";
ALTER TABLE "_new_Album" RENAME TO "Album";
ALTER TABLE "_new_Person" RENAME TO "Person";
ALTER TABLE "_new_Album_fans" RENAME TO "Album_fans";
CREATE INDEX "Album.key.artist" ON "Album" ("artist");
CREATE INDEX "Album.key.fans" ON "Album_fans" ("_destination", "_source");
UPDATE "_keys" SET "next" = max("next", (SELECT given."next" FROM "_code_keys" AS given WHERE given."entity" = 'Album')) WHERE "entity" = 'Album';
UPDATE "_keys" SET "next" = max("next", (SELECT given."next" FROM "_code_keys" AS given WHERE given."entity" = 'Person')) WHERE "entity" = 'Person';
DROP TABLE "_code_keys";
DROP TABLE "_code_entities";
DROP TABLE "_code_successors";
DROP TABLE "_code_deletions";
