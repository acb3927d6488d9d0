-- The schema of Albums, version 2
CREATE TABLE "_metadata" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "_keys" (
    "entity" TEXT NOT NULL PRIMARY KEY,
    "next" INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "Album" (
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
CREATE TABLE "Song" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "title" TEXT NOT NULL,
    "rowID" INTEGER,
    "album" INTEGER NOT NULL
        REFERENCES "Album" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    "album_position" INTEGER
) STRICT;
CREATE TABLE "Person" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "_entity" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "since" REAL,
    CONSTRAINT "Artist.since.required" CHECK ("_entity" <> 'Artist' OR "since" IS NOT NULL)
) STRICT;
CREATE TABLE "Album_fans" (
    "_source" INTEGER NOT NULL
        REFERENCES "Album" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    "_destination" INTEGER NOT NULL
        REFERENCES "Person" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY ("_source", "_destination")
) STRICT, WITHOUT ROWID;
CREATE INDEX "Album.key.artist" ON "Album" ("artist");
CREATE INDEX "Song.key.album" ON "Song" ("album", "album_position");
CREATE INDEX "Album.key.fans" ON "Album_fans" ("_destination", "_source");
INSERT INTO "_keys" ("entity", "next") VALUES ('Album', 1);
INSERT INTO "_keys" ("entity", "next") VALUES ('Song', 1);
INSERT INTO "_keys" ("entity", "next") VALUES ('Person', 1);
INSERT INTO "_metadata" ("name", "value") VALUES ('model', 'Albums');
INSERT INTO "_metadata" ("name", "value") VALUES ('version', '2');
INSERT INTO "_metadata" ("name", "value") VALUES ('versionHash', '29e50ec98357e6e7f801c25429aa33ce9192a2917fc9455a84e0d93cb5c0662e');
INSERT INTO "_metadata" ("name", "value") VALUES ('schemaHash', '81b1dfc2ca6c532d6582108b58cee90ee0065e4d62b06b275d3a4a7244852283');
INSERT INTO "_metadata" ("name", "value") VALUES ('format', '1');
