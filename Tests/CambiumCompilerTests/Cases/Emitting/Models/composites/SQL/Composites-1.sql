-- The schema of Composites, version 1
CREATE TABLE "_metadata" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "_keys" (
    "entity" TEXT NOT NULL PRIMARY KEY,
    "next" INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "Shop" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "name" TEXT NOT NULL,
    "address_street" TEXT NOT NULL
        CONSTRAINT "Shop.address.street.minLength" CHECK (length("address_street") >= 1),
    "address_city" TEXT,
    "address_position_latitude" REAL
        CONSTRAINT "Shop.address.position.latitude.min" CHECK ("address_position_latitude" >= -90.0)
        CONSTRAINT "Shop.address.position.latitude.max" CHECK ("address_position_latitude" <= 90.0),
    "address_position_longitude" REAL
        CONSTRAINT "Shop.address.position.longitude.min" CHECK ("address_position_longitude" >= -180.0)
        CONSTRAINT "Shop.address.position.longitude.max" CHECK ("address_position_longitude" <= 180.0),
    "delivery_street" TEXT
        CONSTRAINT "Shop.delivery.street.minLength" CHECK (length("delivery_street") >= 1),
    "delivery_city" TEXT,
    "delivery_position_latitude" REAL
        CONSTRAINT "Shop.delivery.position.latitude.min" CHECK ("delivery_position_latitude" >= -90.0)
        CONSTRAINT "Shop.delivery.position.latitude.max" CHECK ("delivery_position_latitude" <= 90.0),
    "delivery_position_longitude" REAL
        CONSTRAINT "Shop.delivery.position.longitude.min" CHECK ("delivery_position_longitude" >= -180.0)
        CONSTRAINT "Shop.delivery.position.longitude.max" CHECK ("delivery_position_longitude" <= 180.0),
    CONSTRAINT "Shop.address.position.presence" CHECK ("address_position_latitude" IS NULL AND "address_position_longitude" IS NULL OR "address_position_latitude" IS NOT NULL AND "address_position_longitude" IS NOT NULL),
    CONSTRAINT "Shop.delivery.presence" CHECK ("delivery_street" IS NULL AND "delivery_city" IS NULL AND "delivery_position_latitude" IS NULL AND "delivery_position_longitude" IS NULL OR "delivery_street" IS NOT NULL),
    CONSTRAINT "Shop.delivery.position.presence" CHECK ("delivery_position_latitude" IS NULL AND "delivery_position_longitude" IS NULL OR "delivery_position_latitude" IS NOT NULL AND "delivery_position_longitude" IS NOT NULL),
    CONSTRAINT "Shop.rule.named" CHECK ("name" IS NOT "address_city")
) STRICT;
CREATE INDEX "Shop.index.address.city" ON "Shop" ("address_city");
INSERT INTO "_keys" ("entity", "next") VALUES ('Shop', 1);
INSERT INTO "_metadata" ("name", "value") VALUES ('model', 'Composites');
INSERT INTO "_metadata" ("name", "value") VALUES ('version', '1');
INSERT INTO "_metadata" ("name", "value") VALUES ('versionHash', '2643bb290a4a8233ce2a5fa5133ce4ee07c8ad78cf348baddb2fda2ef4fcd309');
INSERT INTO "_metadata" ("name", "value") VALUES ('schemaHash', 'cbe410c9dce9ecb459120838cd238c4b8c7c6aa088651456ea004be37b83d2b1');
INSERT INTO "_metadata" ("name", "value") VALUES ('format', '1');
