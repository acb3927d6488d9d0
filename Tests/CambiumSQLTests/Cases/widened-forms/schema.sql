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
    "_entity" TEXT NOT NULL,
    "address_street" TEXT NOT NULL
        CONSTRAINT "Shop.address.street.maxLength" CHECK (length("address_street") <= 80),
    "address_number" INTEGER
        CONSTRAINT "Shop.address.number.range" CHECK ("address_number" BETWEEN -2147483648 AND 2147483647),
    "address_spot_latitude" REAL,
    "address_spot_longitude" REAL,
    "name" TEXT NOT NULL,
    "worth" BLOB NOT NULL DEFAULT x'8000'
        CONSTRAINT "Shop.worth.min" CHECK ("worth" >= x'7dff55ff')
        CONSTRAINT "Shop.worth.max" CHECK ("worth" <= x'82040b'),
    "hours" TEXT NOT NULL DEFAULT '{}',
    "photo" BLOB,
    "nameLength" INTEGER
        GENERATED ALWAYS AS (length("name")) VIRTUAL,
    "shout" TEXT,
    "parcelCount" INTEGER,
    "store_street" TEXT
        CONSTRAINT "Stall.store.street.maxLength" CHECK (length("store_street") <= 80),
    "store_number" INTEGER
        CONSTRAINT "Stall.store.number.range" CHECK ("store_number" BETWEEN -2147483648 AND 2147483647),
    "store_spot_latitude" REAL,
    "store_spot_longitude" REAL,
    "width" REAL,
    "area" REAL
        GENERATED ALWAYS AS (CASE WHEN "_entity" = 'Stall' THEN ("width" * 2.0) END) VIRTUAL,
    CONSTRAINT "Stall.width.required" CHECK ("_entity" <> 'Stall' OR "width" IS NOT NULL),
    CONSTRAINT "Shop.address.spot.presence" CHECK ("address_spot_latitude" IS NULL AND "address_spot_longitude" IS NULL OR "address_spot_latitude" IS NOT NULL AND "address_spot_longitude" IS NOT NULL),
    CONSTRAINT "Stall.store.presence" CHECK ("store_street" IS NULL AND "store_number" IS NULL AND "store_spot_latitude" IS NULL AND "store_spot_longitude" IS NULL OR "store_street" IS NOT NULL),
    CONSTRAINT "Stall.store.spot.presence" CHECK ("store_spot_latitude" IS NULL AND "store_spot_longitude" IS NULL OR "store_spot_latitude" IS NOT NULL AND "store_spot_longitude" IS NOT NULL)
) STRICT;
CREATE TABLE "Parcel" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "shop" INTEGER
        REFERENCES "Shop" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    "shop_entity" TEXT
) STRICT;
CREATE UNIQUE INDEX "Shop.unique.address.street+address.number" ON "Shop" ("address_street", "address_number");
CREATE INDEX "Shop.index.byWorth" ON "Shop" ("worth" DESC);
CREATE INDEX "Shop.index.computed+address.street" ON "Shop" ((length("name")), "address_street");
CREATE UNIQUE INDEX "Stall.unique.store.street" ON "Shop" ("store_street")
    WHERE "_entity" = 'Stall';
CREATE INDEX "Parcel.key.shop" ON "Parcel" ("shop");
INSERT INTO "_keys" ("entity", "next") VALUES ('Shop', 1);
INSERT INTO "_keys" ("entity", "next") VALUES ('Parcel', 1);
INSERT INTO "_metadata" ("name", "value") VALUES ('model', 'Widened');
INSERT INTO "_metadata" ("name", "value") VALUES ('version', '1');
INSERT INTO "_metadata" ("name", "value") VALUES ('versionHash', '1f9828494863032ce3242c86d449036b1e2d3fa5941add60534bbd1020f7781a');
INSERT INTO "_metadata" ("name", "value") VALUES ('schemaHash', 'a832d37c284e4f0b2c37c7f83dc384e784dec57bc713754e0b2b7eda36ef5841');
INSERT INTO "_metadata" ("name", "value") VALUES ('format', '1');
