-- The schema of Garden, version 2
CREATE TABLE "_metadata" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "_keys" (
    "entity" TEXT NOT NULL PRIMARY KEY,
    "next" INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "Plant" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "name" TEXT NOT NULL
        CONSTRAINT "Plant.name.maxLength" CHECK (length("name") <= 40),
    "planted" REAL,
    "bed" INTEGER
        REFERENCES "Bed" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE TABLE "Bed" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "number" TEXT NOT NULL
) STRICT;
CREATE INDEX "Plant.key.bed" ON "Plant" ("bed");
INSERT INTO "_keys" ("entity", "next") VALUES ('Plant', 1);
INSERT INTO "_keys" ("entity", "next") VALUES ('Bed', 1);
INSERT INTO "_metadata" ("name", "value") VALUES ('model', 'Garden');
INSERT INTO "_metadata" ("name", "value") VALUES ('version', '2');
INSERT INTO "_metadata" ("name", "value") VALUES ('versionHash', 'abc53fabdae0353496e584496ae9c12ec9cd6f1189bdf7b5a8d6072a366b3f74');
INSERT INTO "_metadata" ("name", "value") VALUES ('schemaHash', '7d51d463d80a0fb5fa0f46bbe95066eef76db32b47583e3c89b92ad1fb1581c8');
INSERT INTO "_metadata" ("name", "value") VALUES ('format', '1');
