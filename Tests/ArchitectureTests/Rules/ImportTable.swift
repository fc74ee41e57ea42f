/// The modules that the files of a target may import. Any other import fails the test.
struct ImportRow: Hashable {
  /// Targets of this package, as in Package.swift.
  var ours: Set<String> = []
  /// Products of other packages and C modules, as in Package.swift.
  var outside: Set<String> = []
  /// Modules that come with Swift.
  var system: Set<String> = []
}

/// The permitted imports of each target. Dependencies point down only, and each outside library has
/// one importer, so that it can be replaced; docs/architecture.md describes the targets.
///
/// The pure targets import no system module: without Glibc, Dispatch and Foundation there are no
/// files, clocks and threads. KettleControl uses the JSON coders of FoundationEssentials.
let importTable: [String: ImportRow] = [
  // MARK: Pure
  "KettleModel": ImportRow(),
  "KettleCollections": ImportRow(ours: ["KettleModel"], system: ["FoundationEssentials"]),
  "KettleScheduler": ImportRow(ours: ["KettleCollections", "KettleModel"]),
  "KettleControl": ImportRow(ours: ["KettleModel"], system: ["FoundationEssentials"]),
  "KettleDashboard": ImportRow(ours: ["KettleCollections", "KettleModel"]),
  "KettleConfiguration": ImportRow(ours: ["KettleModel"]),
  "KettleFleet": ImportRow(ours: ["KettleModel"], system: ["FoundationEssentials"]),

  // MARK: Shell
  "KettleSystem": ImportRow(
    ours: ["KettleModel"], outside: ["CKettleLinux"], system: ["Glibc", "Synchronization"]),
  "KettleEngine": ImportRow(
    ours: ["KettleModel", "KettleScheduler", "KettleSystem"], outside: ["Logging"],
    system: ["Dispatch", "Synchronization"]),
  "KettleCurl": ImportRow(
    ours: ["KettleEngine", "KettleModel", "KettleSystem"], outside: ["CKettleCurl"],
    system: ["Glibc", "Synchronization"]),
  "KettleFiles": ImportRow(
    ours: ["KettleEngine", "KettleModel", "KettleSystem"],
    outside: ["CKettleCurl", "CKettleLinux", "CKettleUnpacking"], system: ["Dispatch", "Glibc"]),
  "KettleStore": ImportRow(
    ours: ["KettleEngine", "KettleModel", "KettleScheduler", "KettleSystem"],
    outside: ["CKettleCurl", "CKettleSQLite", "GRDB", "GRDBSQLite"],
    system: ["Foundation", "FoundationEssentials", "Glibc"]),
  "KettleObjects": ImportRow(
    ours: ["KettleEngine", "KettleModel", "KettleSystem"],
    system: ["Dispatch", "FoundationEssentials"]),
  "KettlePostgres": ImportRow(
    ours: ["KettleFleet", "KettleModel", "KettleSystem"],
    outside: ["CKettleLinux", "CKettlePostgres"], system: ["FoundationEssentials", "Glibc"]),
  "KettleStarter": ImportRow(
    ours: ["KettleControl", "KettleModel", "KettleSystem"], outside: ["CKettleLinux"],
    system: ["Dispatch", "FoundationEssentials", "Glibc"]),
  "KettleSocket": ImportRow(
    ours: ["KettleControl", "KettleModel", "KettleStarter", "KettleSystem"],
    outside: ["CKettleLinux", "NIOCore", "NIOPosix"],
    system: ["Dispatch", "FoundationEssentials", "Glibc"]),
  "KettleRPC": ImportRow(
    ours: ["KettleControl", "KettleModel", "KettleSystem"],
    outside: ["NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket"], system: ["Glibc"]),
  "KettleDesktop": ImportRow(
    ours: ["KettleModel", "KettleSystem"], system: ["Dispatch", "Glibc"]),
  "KettleTerminal": ImportRow(
    ours: ["KettleDashboard", "KettleModel", "KettleSystem"], outside: ["CKettleNcurses"],
    system: ["Dispatch", "Glibc"]),
  "KettleDemo": ImportRow(
    ours: ["KettleModel", "KettleSystem"], outside: ["NIOCore", "NIOHTTP1", "NIOPosix"],
    system: ["Glibc"]),

  // MARK: Products
  // The only target that imports FoundationNetworking, because its API uses its value types.
  "BackgroundTransfer": ImportRow(
    ours: ["KettleControl", "KettleModel", "KettleStarter", "KettleSystem"],
    outside: ["CKettleLinux"], system: ["Dispatch", "Foundation", "FoundationNetworking", "Glibc"]),
  "KettleDaemon": ImportRow(
    ours: [
      "KettleConfiguration", "KettleControl", "KettleCurl", "KettleDesktop", "KettleEngine",
      "KettleFiles", "KettleFleet", "KettleModel", "KettleObjects", "KettlePostgres", "KettleRPC",
      "KettleScheduler", "KettleSocket", "KettleStarter", "KettleStore", "KettleSystem",
    ], outside: ["CKettleLinux", "Logging"],
    system: ["Dispatch", "FoundationEssentials", "Glibc", "Synchronization"]),
  "KettleCommands": ImportRow(
    ours: [
      "KettleCollections", "KettleConfiguration", "KettleControl", "KettleDashboard",
      "KettleModel", "KettleRPC", "KettleSocket", "KettleStarter", "KettleSystem",
      "KettleTerminal",
    ], outside: ["ArgumentParser"], system: ["Dispatch", "FoundationEssentials", "Glibc"]),
  "kettle": ImportRow(
    ours: [
      "KettleCommands", "KettleControl", "KettleDaemon", "KettleDemo", "KettleFiles",
      "KettleSocket", "KettleStarter", "KettleStore", "KettleSystem",
    ],
    system: ["Dispatch", "FoundationEssentials", "Glibc"]),

  // MARK: Examples and benchmarks
  "Examples": ImportRow(ours: ["BackgroundTransfer"], system: ["Foundation", "Synchronization"]),
  // They measure Foundation's URLSession, the dashboard without a service, and the service without
  // the commands.
  "Benchmarks": ImportRow(
    ours: [
      "BackgroundTransfer", "KettleControl", "KettleDashboard", "KettleModel", "KettleSocket",
      "KettleStarter", "KettleSystem", "KettleTerminal", "LinkModel",
    ], outside: ["CKettleNcurses"],
    system: ["Foundation", "FoundationNetworking", "Glibc", "Synchronization"]),

  // MARK: C boundary
  "CKettleCurl": ImportRow(), "CKettleNcurses": ImportRow(),
  // With the loader of CKettleCurl.
  "CKettleUnpacking": ImportRow(ours: ["CKettleCurl"]),
  "CKettlePostgres": ImportRow(ours: ["CKettleCurl"]),
  "CKettleSQLite": ImportRow(), "CKettleLinux": ImportRow(),
]

/// Outside libraries that tests may import beyond those of the target under test.
let testImportTable: [String: Set<String>] = [
  // Digests the demo's files with a second implementation.
  "KettleDemoTests": ["CKettleCurl"],
  // Starts a program in a pseudo terminal and sets its size.
  "KettleTerminalTests": ["CKettleLinux"],
  "ExampleTests": ["CKettleLinux"],
  "FaultStormTests": ["CKettleLinux"],
  // Assembles an engine from its real parts.
  "FuzzTests": ["Logging"],
  "IntegrationTests": ["CKettleLinux"],
  // Runs the library with the real service, and controls it as a user would.
  "SessionTests": [
    "BackgroundTransfer", "KettleControl", "KettleModel", "KettleSocket", "KettleStarter",
    "TestSupport",
  ],
  // Assembles an engine from simulated parts.
  "SimulationTests": ["Logging"],
  // The digests of the fake file storage, and pipes for started processes.
  "TestSupport": ["CKettleCurl", "CKettleLinux"],
  // Assembles an engine from its real parts.
  "WireTests": ["Logging"],
]
