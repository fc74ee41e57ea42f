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
/// no file, no clock and no thread. ControlProtocol has the JSON coders of FoundationEssentials.
let importTable: [String: ImportRow] = [
  // MARK: Pure
  "TransferModel": ImportRow(),
  "TransferCore": ImportRow(ours: ["TransferModel"]),
  "ControlProtocol": ImportRow(ours: ["TransferModel"], system: ["FoundationEssentials"]),
  "DashboardUI": ImportRow(ours: ["TransferModel"]),
  "Configuration": ImportRow(ours: ["TransferModel"]),
  "BackgroundTasks": ImportRow(ours: ["ControlProtocol", "TransferModel"]),

  // MARK: Shell
  "KettleSystem": ImportRow(outside: ["CLinux"], system: ["Glibc", "Synchronization"]),
  "TransferEngine": ImportRow(
    ours: ["KettleSystem", "TransferCore", "TransferModel"], outside: ["Logging"],
    system: ["Dispatch", "Synchronization"]),
  "CurlTransport": ImportRow(
    ours: ["KettleSystem", "TransferEngine", "TransferModel"], outside: ["CCurl"],
    system: ["Glibc", "Synchronization"]),
  "TransferFiles": ImportRow(
    ours: ["KettleSystem", "TransferCore", "TransferEngine", "TransferModel"],
    outside: ["CLinux", "CCrypto"],
    system: ["Dispatch", "Glibc"]),
  "TransferStore": ImportRow(
    ours: ["KettleSystem", "TransferCore", "TransferEngine", "TransferModel"],
    outside: ["CKettleSQLite", "CLinux", "GRDB", "GRDBSQLite"],
    system: ["Foundation", "FoundationEssentials", "Glibc"]),
  "ControlSocket": ImportRow(
    ours: ["ControlProtocol", "KettleSystem"], outside: ["CLinux", "NIOCore", "NIOPosix"],
    system: ["Glibc"]),
  "NetworkWatch": ImportRow(
    ours: ["KettleSystem", "TransferCore"], system: ["Dispatch", "Glibc"]),
  "DesktopBus": ImportRow(ours: ["KettleSystem"], system: ["Dispatch", "Glibc"]),
  "MachineWatch": ImportRow(
    ours: ["DesktopBus", "KettleSystem", "TransferModel"],
    system: ["Dispatch", "Glibc"]),
  "DesktopAlerts": ImportRow(ours: ["DesktopBus", "TransferModel"]),
  "ProcessSpawn": ImportRow(
    ours: ["KettleSystem"], outside: ["CLinux"], system: ["Glibc", "Synchronization"]),
  "DashboardTerminal": ImportRow(
    ours: ["DashboardUI", "KettleSystem", "TransferModel"], outside: ["CNcurses"],
    system: ["Dispatch", "Glibc"]),
  "ConfigurationFiles": ImportRow(ours: ["Configuration", "KettleSystem"], system: ["Glibc"]),
  "DemoOrigin": ImportRow(
    ours: ["KettleSystem"], outside: ["NIOCore", "NIOPosix", "NIOHTTP1"],
    system: ["Glibc"]),

  // MARK: Products
  "TransferClient": ImportRow(
    ours: ["ControlProtocol", "ControlSocket", "KettleSystem", "ProcessSpawn", "TransferModel"],
    outside: ["CLinux"],
    system: ["Dispatch", "FoundationEssentials", "Glibc"]),
  // The one target that stands on FoundationNetworking: programs give and get its value types.
  "BackgroundTransfer": ImportRow(
    ours: [
      "BackgroundTasks", "ControlProtocol", "KettleSystem", "TransferClient", "TransferModel",
    ],
    outside: ["CLinux"],
    system: ["Dispatch", "Foundation", "FoundationNetworking", "Glibc"]),
  "TransferDaemon": ImportRow(
    ours: [
      "Configuration", "ConfigurationFiles", "ControlProtocol", "ControlSocket", "CurlTransport",
      "DesktopAlerts", "DesktopBus", "KettleSystem", "MachineWatch", "NetworkWatch", "ProcessSpawn",
      "TransferCore",
      "TransferEngine", "TransferFiles", "TransferModel", "TransferStore",
    ],
    outside: ["CLinux", "Logging"],
    system: ["Dispatch", "FoundationEssentials", "Glibc", "Synchronization"]),
  "Commands": ImportRow(
    ours: [
      "Configuration", "ConfigurationFiles", "ControlProtocol", "DashboardTerminal", "DashboardUI",
      "KettleSystem", "ProcessSpawn", "TransferClient", "TransferModel",
    ],
    outside: ["ArgumentParser"],
    system: ["Dispatch", "FoundationEssentials", "Glibc"]),
  "kettle": ImportRow(
    ours: ["Commands", "ControlProtocol", "DemoOrigin", "TransferClient", "TransferDaemon"],
    system: ["Dispatch", "FoundationEssentials", "Glibc"]),

  // MARK: Beside the products
  "Examples": ImportRow(
    ours: ["BackgroundTransfer"], system: ["Foundation", "Synchronization"]),
  // One of them measures what comes with Swift, one the dashboard without its service, and one the
  // service without a command.
  "Benchmarks": ImportRow(
    ours: [
      "BackgroundTransfer", "ControlProtocol", "DashboardTerminal", "DashboardUI", "KettleSystem",
      "ProcessSpawn", "TransferClient", "TransferModel",
    ],
    outside: ["CNcurses"],
    system: ["Foundation", "FoundationNetworking", "Glibc", "Synchronization"]),

  // MARK: C boundary
  "CCurl": ImportRow(outside: ["CCrypto", "CDelayedLibrary"]), "CNcurses": ImportRow(),
  "CKettleSQLite": ImportRow(), "CLinux": ImportRow(),
  "CCrypto": ImportRow(outside: ["CDelayedLibrary"]),
  "CDelayedLibrary": ImportRow(),
]

/// Tests may reach what their target reaches; these reach further.
let testImportTable: [String: Set<String>] = [
  // Digests the demo's files by an implementation that is not ours.
  "DemoOriginTests": ["CCrypto"],
  // Starts a program in a terminal of its own, and says how large that is.
  "DashboardTerminalTests": ["CLinux"],
  "ExampleTests": ["CLinux"],
  "FaultStormTests": ["CLinux"],
  // Puts an engine together from all its parts.
  "FuzzTests": ["Logging"],
  "IntegrationTests": ["CLinux"],
  // The library over the real service, and what people do to it meanwhile.
  "SessionTests": [
    "BackgroundTransfer", "ControlProtocol", "TestSupport", "TransferClient", "TransferModel",
  ],
  // The digests of the fake file storage; pipes of the processes that are started.
  "TestSupport": ["CCrypto", "CLinux"],
  // Puts an engine together from all its parts.
  "WireTests": ["Logging"],
]
