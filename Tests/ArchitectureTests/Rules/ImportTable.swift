/// What the files of a target may import. Anything else fails the test.
struct ImportRow: Hashable {
  /// Targets of this package, as in Package.swift.
  var ours: Set<String> = []
  /// Products of other packages and C modules, as in Package.swift.
  var outside: Set<String> = []
  /// What comes with Swift.
  var system: Set<String> = []
}

/// Who may import what. Arrows point down only, and each outside library has one importer, so that
/// it can be replaced; docs/architecture.md says what each target is for.
///
/// The pure targets have no system module at all: without Glibc, Dispatch and Foundation there is
/// no file, no clock and no thread. KettleControl has the JSON coders of FoundationEssentials.
let importTable: [String: ImportRow] = [
  // MARK: Pure
  "KettleModel": ImportRow(),
  "KettleScheduler": ImportRow(ours: ["KettleModel"]),
  "KettleControl": ImportRow(ours: ["KettleModel"], system: ["FoundationEssentials"]),
  "KettleDashboard": ImportRow(ours: ["KettleModel"]),
  "KettleTasks": ImportRow(ours: ["KettleControl", "KettleModel"]),

  // MARK: Shell
  "KettleSystem": ImportRow(outside: ["CKettleLinux"], system: ["Glibc", "Synchronization"]),
  "KettleConfiguration": ImportRow(ours: ["KettleModel", "KettleSystem"], system: ["Glibc"]),
  "KettleEngine": ImportRow(
    ours: ["KettleModel", "KettleScheduler", "KettleSystem"], outside: ["Logging"],
    system: ["Dispatch", "Synchronization"]),
  "KettleCurl": ImportRow(
    ours: ["KettleEngine", "KettleModel", "KettleSystem"], outside: ["CKettleCurl"],
    system: ["Glibc", "Synchronization"]),
  "KettleFiles": ImportRow(
    ours: ["KettleEngine", "KettleModel", "KettleScheduler", "KettleSystem"],
    outside: ["CKettleCurl", "CKettleLinux"], system: ["Dispatch", "Glibc"]),
  "KettleStore": ImportRow(
    ours: ["KettleEngine", "KettleModel", "KettleScheduler", "KettleSystem"],
    outside: ["CKettleLinux", "CKettleSQLite", "GRDB", "GRDBSQLite"],
    system: ["Foundation", "FoundationEssentials", "Glibc"]),
  "KettleSocket": ImportRow(
    ours: ["KettleControl", "KettleSystem"], outside: ["CKettleLinux", "NIOCore", "NIOPosix"],
    system: ["Glibc"]),
  "KettleDesktop": ImportRow(
    ours: ["KettleModel", "KettleScheduler", "KettleSystem"], system: ["Dispatch", "Glibc"]),
  "KettleTerminal": ImportRow(
    ours: ["KettleDashboard", "KettleModel", "KettleSystem"], outside: ["CKettleNcurses"],
    system: ["Dispatch", "Glibc"]),
  "KettleDemo": ImportRow(
    ours: ["KettleSystem"], outside: ["NIOCore", "NIOHTTP1", "NIOPosix"], system: ["Glibc"]),

  // MARK: Products
  "KettleClient": ImportRow(
    ours: ["KettleControl", "KettleModel", "KettleSocket", "KettleSystem"],
    outside: ["CKettleLinux"], system: ["Dispatch", "FoundationEssentials", "Glibc"]),
  // The one target that stands on FoundationNetworking: programs give and get its value types.
  "BackgroundTransfer": ImportRow(
    ours: ["KettleClient", "KettleControl", "KettleModel", "KettleSystem", "KettleTasks"],
    outside: ["CKettleLinux"], system: ["Dispatch", "Foundation", "FoundationNetworking", "Glibc"]),
  "KettleDaemon": ImportRow(
    ours: [
      "KettleConfiguration", "KettleControl", "KettleCurl", "KettleDesktop", "KettleEngine",
      "KettleFiles", "KettleModel", "KettleScheduler", "KettleSocket", "KettleStore",
      "KettleSystem",
    ], outside: ["CKettleLinux", "Logging"],
    system: ["Dispatch", "FoundationEssentials", "Glibc", "Synchronization"]),
  "KettleCommands": ImportRow(
    ours: [
      "KettleClient", "KettleConfiguration", "KettleControl", "KettleDashboard", "KettleModel",
      "KettleSystem", "KettleTerminal",
    ], outside: ["ArgumentParser"], system: ["Dispatch", "FoundationEssentials", "Glibc"]),
  "kettle": ImportRow(
    ours: ["KettleClient", "KettleCommands", "KettleControl", "KettleDaemon", "KettleDemo"],
    system: ["Dispatch", "FoundationEssentials", "Glibc"]),

  // MARK: Beside the products
  "Examples": ImportRow(ours: ["BackgroundTransfer"], system: ["Foundation", "Synchronization"]),
  // One of them measures what comes with Swift, one the dashboard without its service, and one the
  // service without a command.
  "Benchmarks": ImportRow(
    ours: [
      "BackgroundTransfer", "KettleClient", "KettleControl", "KettleDashboard", "KettleModel",
      "KettleSystem", "KettleTerminal",
    ], outside: ["CKettleNcurses"],
    system: ["Foundation", "FoundationNetworking", "Glibc", "Synchronization"]),

  // MARK: C boundary
  "CKettleCurl": ImportRow(), "CKettleNcurses": ImportRow(),
  "CKettleSQLite": ImportRow(), "CKettleLinux": ImportRow(),
]

/// Tests may reach what their target reaches; these reach further.
let testImportTable: [String: Set<String>] = [
  // Digests the demo's files by an implementation that is not ours.
  "KettleDemoTests": ["CKettleCurl"],
  // Starts a program in a terminal of its own, and says how large that is.
  "KettleTerminalTests": ["CKettleLinux"],
  "ExampleTests": ["CKettleLinux"],
  "FaultStormTests": ["CKettleLinux"],
  // Puts an engine together from all its parts.
  "FuzzTests": ["Logging"],
  "IntegrationTests": ["CKettleLinux"],
  // The library over the real service, and what people do to it meanwhile.
  "SessionTests": [
    "BackgroundTransfer", "KettleControl", "TestSupport", "KettleClient", "KettleModel",
  ],
  // The digests of the fake file storage; pipes of the processes that are started.
  "TestSupport": ["CKettleCurl", "CKettleLinux"],
  // Puts an engine together from all its parts.
  "WireTests": ["Logging"],
]
