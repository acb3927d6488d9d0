-- The schema of Stores, version 1
CREATE TABLE "_metadata" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "_keys" (
    "entity" TEXT NOT NULL PRIMARY KEY,
    "next" INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "Local" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "text" TEXT NOT NULL
) STRICT;
CREATE TABLE "Remote" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "text" TEXT
) STRICT;
INSERT INTO "_keys" ("entity", "next") VALUES ('Local', 1);
INSERT INTO "_keys" ("entity", "next") VALUES ('Remote', 1);
INSERT INTO "_metadata" ("name", "value") VALUES ('model', 'Stores');
INSERT INTO "_metadata" ("name", "value") VALUES ('version', '1');
INSERT INTO "_metadata" ("name", "value") VALUES ('versionHash', 'c9effd3faea225f160a00b37cd902f1600061caa9fede1f20985c698b6fe7c62');
INSERT INTO "_metadata" ("name", "value") VALUES ('schemaHash', '9a64512041e4256fc6e567d5889e67771f8ddb5740cfc84bfc1a707dbdd9d788');
INSERT INTO "_metadata" ("name", "value") VALUES ('format', '1');
