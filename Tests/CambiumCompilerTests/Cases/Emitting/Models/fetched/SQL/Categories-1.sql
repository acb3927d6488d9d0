-- The schema of Categories, version 1
CREATE TABLE "_metadata" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "_keys" (
    "entity" TEXT NOT NULL PRIMARY KEY,
    "next" INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "Category" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "name" TEXT NOT NULL,
    "isBrand" INTEGER NOT NULL DEFAULT 0
        CONSTRAINT "Category.isBrand.range" CHECK ("isBrand" IN (0, 1))
) STRICT;
INSERT INTO "_keys" ("entity", "next") VALUES ('Category', 1);
INSERT INTO "_metadata" ("name", "value") VALUES ('model', 'Categories');
INSERT INTO "_metadata" ("name", "value") VALUES ('version', '1');
INSERT INTO "_metadata" ("name", "value") VALUES ('versionHash', 'bfaed8fd5799762979592701b1e826e838222c7987d2e7186fc700c31bd5513c');
INSERT INTO "_metadata" ("name", "value") VALUES ('schemaHash', 'bcbb75bd1d5e2e4dec4a275744c4fd5775101fd3696c7c25a3eeb177cbf6492c');
INSERT INTO "_metadata" ("name", "value") VALUES ('format', '1');
