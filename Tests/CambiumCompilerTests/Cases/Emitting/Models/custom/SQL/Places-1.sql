-- The schema of Places, version 1
CREATE TABLE "_metadata" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "_keys" (
    "entity" TEXT NOT NULL PRIMARY KEY,
    "next" INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "Place" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "longitude" REAL NOT NULL,
    "name" TEXT
) STRICT;
INSERT INTO "_keys" ("entity", "next") VALUES ('Place', 1);
INSERT INTO "_metadata" ("name", "value") VALUES ('model', 'Places');
INSERT INTO "_metadata" ("name", "value") VALUES ('version', '1');
INSERT INTO "_metadata" ("name", "value") VALUES ('versionHash', '1442e337bbb855454ba686de2dbd206810fcf950c403eaf0c2c121b0bd77a13b');
INSERT INTO "_metadata" ("name", "value") VALUES ('schemaHash', '4388d4a26d8ab08039110a8d8b362bdf22a5207ef194725f25314cd89a970fd3');
INSERT INTO "_metadata" ("name", "value") VALUES ('format', '1');
