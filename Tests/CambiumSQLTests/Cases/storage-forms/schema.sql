CREATE TABLE "_metadata" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "_keys" (
    "entity" TEXT NOT NULL PRIMARY KEY,
    "next" INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "EveryType" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "aBool" INTEGER NOT NULL DEFAULT 0
        CONSTRAINT "EveryType.aBool.range" CHECK ("aBool" IN (0, 1)),
    "anInt16" INTEGER NOT NULL
        CONSTRAINT "EveryType.anInt16.range" CHECK ("anInt16" BETWEEN -32768 AND 32767),
    "anInt32" INTEGER NOT NULL DEFAULT -5
        CONSTRAINT "EveryType.anInt32.range" CHECK ("anInt32" BETWEEN -2147483648 AND 2147483647)
        CONSTRAINT "EveryType.anInt32.min" CHECK ("anInt32" >= -10)
        CONSTRAINT "EveryType.anInt32.max" CHECK ("anInt32" <= 10),
    "anInt64" INTEGER,
    "aFloat" REAL NOT NULL,
    "aDouble" REAL NOT NULL DEFAULT 0.5
        CONSTRAINT "EveryType.aDouble.min" CHECK ("aDouble" >= 0.0),
    "aDecimal" INTEGER NOT NULL DEFAULT 1,
    "aString" TEXT NOT NULL DEFAULT 'it''s'
        CONSTRAINT "EveryType.aString.minLength" CHECK (length("aString") >= 1)
        CONSTRAINT "EveryType.aString.maxLength" CHECK (length("aString") <= 20)
        CONSTRAINT "EveryType.aString.pattern" CHECK (("aString" GLOB '[a-z'']*' AND substr("aString", 1) NOT GLOB '*[^a-z'']*')),
    "aDate" REAL NOT NULL,
    "aDuration" INTEGER NOT NULL DEFAULT 90000000000
        CONSTRAINT "EveryType.aDuration.min" CHECK ("aDuration" >= 0),
    "aUUID" BLOB NOT NULL,
    "aURI" TEXT,
    "someData" BLOB
        CONSTRAINT "EveryType.someData.maxLength" CHECK (length("someData") <= 9),
    "aKind" TEXT NOT NULL,
    "aLevel" INTEGER,
    "owner" INTEGER NOT NULL
        REFERENCES "Named" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    "holder" INTEGER
        REFERENCES "Named" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    "holder_entity" TEXT,
    CONSTRAINT "EveryType.rule.ordered" CHECK ("anInt16" < "anInt32")
) STRICT;
CREATE TABLE "Named" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "_entity" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "born" REAL,
    "Person_code" TEXT,
    "Company_code" INTEGER,
    "head" INTEGER
        REFERENCES "Named" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT "Person.born.required" CHECK ("_entity" <> 'Person' OR "born" IS NOT NULL),
    CONSTRAINT "Company.code.required" CHECK ("_entity" <> 'Company' OR "Company_code" IS NOT NULL),
    CONSTRAINT "Company.head.required" CHECK ("_entity" <> 'Company' OR "head" IS NOT NULL),
    CONSTRAINT "Company.rule.codePositive" CHECK ("_entity" <> 'Company' OR ("Company_code" > 0))
) STRICT;
CREATE TABLE "Tag" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE TABLE "EveryType_tags" (
    "_source" INTEGER NOT NULL
        REFERENCES "EveryType" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    "_destination" INTEGER NOT NULL
        REFERENCES "Tag" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY ("_source", "_destination")
) STRICT, WITHOUT ROWID;
CREATE TABLE "EveryType_seeAlso" (
    "_source" INTEGER NOT NULL
        REFERENCES "EveryType" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    "_destination" INTEGER NOT NULL
        REFERENCES "EveryType" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY ("_source", "_destination")
) STRICT, WITHOUT ROWID;
CREATE INDEX "EveryType.key.owner" ON "EveryType" ("owner");
CREATE INDEX "EveryType.key.holder" ON "EveryType" ("holder");
CREATE UNIQUE INDEX "EveryType.unique.aString+owner" ON "EveryType" ("aString", "owner");
CREATE INDEX "EveryType.index.aDecimal descending+aString" ON "EveryType" ("aDecimal" DESC, "aString");
CREATE INDEX "EveryType.index.aDate" ON "EveryType" ("aDate")
    WHERE "anInt32" > 0;
CREATE UNIQUE INDEX "Person.unique.name" ON "Named" ("name")
    WHERE "_entity" = 'Person';
CREATE INDEX "Company.key.head" ON "Named" ("head");
CREATE INDEX "EveryType.key.tags" ON "EveryType_tags" ("_destination", "_source");
CREATE INDEX "EveryType.key.seeAlso" ON "EveryType_seeAlso" ("_destination", "_source");
INSERT INTO "_keys" ("entity", "next") VALUES ('EveryType', 1);
INSERT INTO "_keys" ("entity", "next") VALUES ('Named', 1);
INSERT INTO "_keys" ("entity", "next") VALUES ('Tag', 1);
INSERT INTO "_metadata" ("name", "value") VALUES ('model', 'Forms');
INSERT INTO "_metadata" ("name", "value") VALUES ('version', '1');
INSERT INTO "_metadata" ("name", "value") VALUES ('versionHash', '808aede754a90f4e79a2146613a2d7d357f5ad6c7639590e009a5c055a371067');
INSERT INTO "_metadata" ("name", "value") VALUES ('schemaHash', 'ce9c1d163072150c8d6c91b671aed312fd01d656ce70285f234b82b288d16bfe');
INSERT INTO "_metadata" ("name", "value") VALUES ('format', '1');
