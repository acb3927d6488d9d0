-- The schema of Documents, version 1
CREATE TABLE "_metadata" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "_keys" (
    "entity" TEXT NOT NULL PRIMARY KEY,
    "next" INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "Document" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "title" TEXT NOT NULL,
    "counts" TEXT NOT NULL DEFAULT '{}',
    "words" TEXT NOT NULL DEFAULT '[]',
    "flags" TEXT
) STRICT;
INSERT INTO "_keys" ("entity", "next") VALUES ('Document', 1);
INSERT INTO "_metadata" ("name", "value") VALUES ('model', 'Documents');
INSERT INTO "_metadata" ("name", "value") VALUES ('version', '1');
INSERT INTO "_metadata" ("name", "value") VALUES ('versionHash', '356675f1e08b474fb4133d65e1b98b076b5a9b52b47a4275c9c3ca9da19b056f');
INSERT INTO "_metadata" ("name", "value") VALUES ('schemaHash', 'f58b6093936568e9333c57dd18d83774bc7836174e61d838a5b2d87d732f4bc3');
INSERT INTO "_metadata" ("name", "value") VALUES ('format', '1');
