-- The schema of Bases, version 1
CREATE TABLE "_metadata" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "_keys" (
    "entity" TEXT NOT NULL PRIMARY KEY,
    "next" INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "Parent" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "_entity" TEXT NOT NULL,
    "name" TEXT NOT NULL
        CONSTRAINT "Parent.name.maxLength" CHECK (length("name") <= 10),
    "age" INTEGER
        CONSTRAINT "Child.age.range" CHECK ("age" BETWEEN -32768 AND 32767)
        CONSTRAINT "Child.age.min" CHECK ("age" >= 0)
        CONSTRAINT "Child.age.max" CHECK ("age" <= 150),
    "guardian" INTEGER
        REFERENCES "Parent" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    "guardian_entity" TEXT,
    CONSTRAINT "Child.age.required" CHECK ("_entity" <> 'Child' OR "age" IS NOT NULL)
) STRICT;
CREATE INDEX "Child.key.guardian" ON "Parent" ("guardian");
INSERT INTO "_keys" ("entity", "next") VALUES ('Parent', 1);
INSERT INTO "_metadata" ("name", "value") VALUES ('model', 'Bases');
INSERT INTO "_metadata" ("name", "value") VALUES ('version', '1');
INSERT INTO "_metadata" ("name", "value") VALUES ('versionHash', '73d72db204bf89f603cedafbbe275f40d97f32db677f1be0cb8a20bc98f7bcbc');
INSERT INTO "_metadata" ("name", "value") VALUES ('schemaHash', '3577a806889d640a9ca34d0f3cd9a777cb1c615354e035e1ad4b3e61b07c2b09');
INSERT INTO "_metadata" ("name", "value") VALUES ('format', '1');
