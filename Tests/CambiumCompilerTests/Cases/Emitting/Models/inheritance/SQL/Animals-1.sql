-- The schema of Animals, version 1
CREATE TABLE "_metadata" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "_keys" (
    "entity" TEXT NOT NULL PRIMARY KEY,
    "next" INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "Animal" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "_entity" TEXT NOT NULL,
    "name" TEXT NOT NULL
        CONSTRAINT "Animal.name.minLength" CHECK (length("name") >= 1),
    "legs" INTEGER
        CONSTRAINT "Mammal.legs.range" CHECK ("legs" BETWEEN -32768 AND 32767),
    "breed" TEXT,
    "owner" INTEGER
        REFERENCES "Person" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    "span" REAL
        CONSTRAINT "Bird.span.min" CHECK ("span" >= 0.0),
    CONSTRAINT "Mammal.legs.required" CHECK ("_entity" NOT IN ('Mammal', 'Dog') OR "legs" IS NOT NULL),
    CONSTRAINT "Dog.owner.required" CHECK ("_entity" <> 'Dog' OR "owner" IS NOT NULL),
    CONSTRAINT "Bird.span.required" CHECK ("_entity" <> 'Bird' OR "span" IS NOT NULL)
) STRICT;
CREATE TABLE "Person" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "name" TEXT NOT NULL
) STRICT;
CREATE TABLE "Animal_friends" (
    "_source" INTEGER NOT NULL
        REFERENCES "Animal" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    "_destination" INTEGER NOT NULL
        REFERENCES "Animal" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY ("_source", "_destination")
) STRICT, WITHOUT ROWID;
CREATE INDEX "Dog.key.owner" ON "Animal" ("owner");
CREATE INDEX "Animal.key.friends" ON "Animal_friends" ("_destination", "_source");
INSERT INTO "_keys" ("entity", "next") VALUES ('Animal', 1);
INSERT INTO "_keys" ("entity", "next") VALUES ('Person', 1);
INSERT INTO "_metadata" ("name", "value") VALUES ('model', 'Animals');
INSERT INTO "_metadata" ("name", "value") VALUES ('version', '1');
INSERT INTO "_metadata" ("name", "value") VALUES ('versionHash', 'f32f11fd62f66cf82824a28ae6fbd83af87a7fa50ef1ac69369eefabe2ec49d5');
INSERT INTO "_metadata" ("name", "value") VALUES ('schemaHash', '8b09cb521b8a37d5ad1a289b620e96123c7bef45e47c90297d33a75e577dc547');
INSERT INTO "_metadata" ("name", "value") VALUES ('format', '1');
