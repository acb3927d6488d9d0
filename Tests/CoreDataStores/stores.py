"""The stores of the corpus that Core Data wrote, the models that belong to them, and what is to
become of each."""

import os
import shutil
import tarfile

WIRE = "wireapp+wire-ios-data-model/Resources/zmessaging.xcdatamodeld"
SAMPLES = "alemar11+CoreDataPlus/Tests/Resources/"

# The first pattern in a store's path says which bundle is tried. Stores whose own model is not in
# the corpus are tried with one of the same repository.
BUNDLES = (
    ("wireapp+", WIRE),
    ("SampleModel3", SAMPLES + "SampleModel3/SampleModel3.xcdatamodeld"),
    ("alemar11+", SAMPLES + "SampleModel/SampleModel.xcdatamodeld"),
    ("passepartoutvpn+",
     "passepartoutvpn+passepartout/app-apple/Package/Sources/CommonLegacyV2/Profiles.xcdatamodeld"),
    ("RestKit+", "RestKit+RestKit/Tests/Models/VersionedModel.xcdatamodeld"),
)

# What steps that have shipped did to data; an Xcode bundle alone says too little of them.
DECLARATIONS = {
    WIRE: os.path.join(
        os.path.dirname(__file__), "../CambiumCompilerTests/Histories/zmessaging.history.xml"),
}

# The version that wrote these is not in the corpus, and one that is takes them by force without a
# loss: the first lacks a column whose values are optional, the second is as the version after it is,
# but for the name of an entity, which that version renames.
FORCED = {
    "alemar11+CoreDataPlus/Tests/Resources/SampleModel/SampleModelV1.sqlite": "SampleModel",
    "alemar11+CoreDataPlus/Tests/SampleModelV1.sqlite": "SampleModel2",
}

# No version of a bundle fits these: of the first the model is there and differs.
REFUSED = (
    "store2-65-0.wiredatabase", "store1-24.wiredatabase", "RKSeedDatabase.sqlite",
    "SampleModel2V1.sqlite", "SampleModel2V2.sqlite", "CoreDataMigration_Example_1.sqlite",
    "CoreDataMigration_Example_2.sqlite", "CoreDataMigration_Example_3.sqlite", "Model1.sqlite",
)


class CorpusStore:
    def __init__(self, path, name, models):
        self.path, self.name = path, name
        bundle = next(bundle for pattern, bundle in BUNDLES if pattern in name)
        self.bundle = os.path.join(models, bundle)
        self.declarations = DECLARATIONS.get(bundle)
        self.is_refused = os.path.basename(name) in REFUSED
        self.forced = FORCED.get(name)
        self.is_of_wire = "wireapp+" in name

    @property
    def short_name(self):
        """The last parts of the path, as many as tell stores of one file name apart."""
        parts = self.name.split("/")
        return parts[-1] if self.is_of_wire else "/".join(parts[-2:])

    @property
    def model(self):
        return os.path.basename(self.bundle).rsplit(".", 1)[0]


def find(corpus, work):
    """Copies the stores into a folder, the packed ones too, and names each. Others that the corpus
    has, which no Core Data wrote, are left out."""
    copies = os.path.join(work, "stores")
    shutil.copytree(os.path.join(corpus, "stores"), copies)
    for name in sorted(os.listdir(copies)):
        if name.endswith(".tar.xz"):
            with tarfile.open(os.path.join(copies, name)) as archive:
                archive.extractall(copies)
    stores = []
    for folder, _, files in os.walk(copies):
        os.chmod(folder, 0o755)
        for file in files:
            path = os.path.join(folder, file)
            os.chmod(path, 0o644)
            with open(path, "rb") as content:
                is_database = content.read(15) == b"SQLite format 3"
            name = os.path.relpath(path, copies)
            if is_database and not name.startswith("ZeeQL+"):
                stores.append(CorpusStore(path, name, os.path.join(corpus, "models")))
    return sorted(stores, key=lambda s: natural(s.name))


def natural(text):
    """Numbers in a text sort as numbers."""
    parts, number = [], ""
    for sign in text + "\x00":
        if sign.isdigit():
            number += sign
            continue
        if number:
            parts.append((0, int(number), ""))
            number = ""
        parts.append((1, 0, sign))
    return parts
