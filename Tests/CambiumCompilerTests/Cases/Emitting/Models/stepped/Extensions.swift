import Cambium

/// What the program does in migrations of the albums: nothing, for stores that are new.
nonisolated struct AlbumsSteps: AlbumsMigration {
    func findArtists(_ context: MigrationContext<Albums.Version1, Albums.Version2>) throws {}

    func `init`(_ context: MigrationContext<Albums.Version1, Albums.Version2>) throws {}
}
