// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours is Swift 6 mode with warnings as errors; dependencies are left as they are.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func target(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// Programs as they are written for Apple's systems: one language mode, and no strictness of ours.
func appleSource(_ name: String, _ mode: SwiftLanguageMode) -> Target {
  .testTarget(
    name: name, dependencies: ["BackgroundTransfer"],
    swiftSettings: [.swiftLanguageMode(mode), .treatAllWarnings(as: .error)])
}

let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")

let package = Package(
  name: "kettle",
  products: [
    .executable(name: "kettle", targets: ["kettle"]),
    .library(name: "BackgroundTransfer", targets: ["BackgroundTransfer"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    // MARK: C boundary
    .target(name: "CCurl", dependencies: ["CCrypto", "CDelayedLibrary"]),
    .systemLibrary(name: "CNcurses"),
    .systemLibrary(name: "CKettleSQLite"),
    .systemLibrary(name: "CLinux"),
    .target(name: "CCrypto", dependencies: ["CDelayedLibrary"]),
    .target(name: "CDelayedLibrary"),

    // MARK: Pure
    target("TransferModel"),
    target("TransferCore", ["TransferModel"]),
    target("ControlProtocol", ["TransferModel"]),
    target("DashboardUI", ["TransferModel"]),
    target("Configuration", ["TransferModel"]),
    target("BackgroundTasks", ["ControlProtocol", "TransferModel"]),

    // MARK: Shell
    target("KettleSystem", ["CLinux"]),
    target("TransferEngine", ["KettleSystem", "TransferCore", "TransferModel", logging]),
    target("CurlTransport", ["KettleSystem", "TransferEngine", "TransferModel", "CCurl"]),
    target(
      "TransferFiles",
      ["KettleSystem", "TransferCore", "TransferEngine", "TransferModel", "CLinux", "CCrypto"]),
    target(
      "TransferStore",
      [
        "KettleSystem", "TransferCore", "TransferEngine", "TransferModel", "CLinux",
        "CKettleSQLite", grdb,
        grdbSQLite,
      ]),
    target("ControlSocket", ["ControlProtocol", "KettleSystem", "CLinux", nioCore, nioPosix]),
    target("NetworkWatch", ["KettleSystem", "TransferCore"]),
    target("DesktopBus", ["KettleSystem"]),
    target("MachineWatch", ["DesktopBus", "KettleSystem", "TransferModel"]),
    target("DesktopAlerts", ["DesktopBus", "TransferModel"]),
    target("ProcessSpawn", ["KettleSystem", "CLinux"]),
    target("DashboardTerminal", ["DashboardUI", "KettleSystem", "TransferModel", "CNcurses"]),
    target("ConfigurationFiles", ["Configuration", "KettleSystem"]),
    target("DemoOrigin", ["KettleSystem", nioCore, nioPosix, nioHTTP1]),

    // MARK: Products
    target(
      "TransferClient",
      [
        "ControlProtocol", "ControlSocket", "KettleSystem", "ProcessSpawn", "TransferModel",
        "CLinux",
      ]),
    target(
      "BackgroundTransfer",
      [
        "BackgroundTasks", "ControlProtocol", "KettleSystem", "TransferClient", "TransferModel",
        "CLinux",
      ]),
    target(
      "TransferDaemon",
      [
        "Configuration", "ConfigurationFiles", "ControlProtocol", "ControlSocket",
        "CurlTransport", "DesktopAlerts", "DesktopBus", "KettleSystem", "MachineWatch",
        "NetworkWatch", "ProcessSpawn", "TransferCore", "TransferEngine",
        "TransferFiles", "TransferModel", "TransferStore", "CLinux", logging,
      ]),
    target(
      "Commands",
      [
        "Configuration", "ConfigurationFiles", "ControlProtocol", "DashboardTerminal",
        "DashboardUI", "KettleSystem", "ProcessSpawn", "TransferClient", "TransferModel",
        argumentParser,
      ]),
    .executableTarget(
      name: "kettle",
      dependencies: [
        "Commands", "ControlProtocol", "DemoOrigin", "TransferClient", "TransferDaemon",
      ],
      swiftSettings: strict),

    // MARK: Examples, one for each way of writing a background download
    .executableTarget(
      name: "background-download", dependencies: ["BackgroundTransfer"],
      path: "Sources/Examples/BackgroundDownload", swiftSettings: strict),
    .executableTarget(
      name: "singleton-delegate", dependencies: ["BackgroundTransfer"],
      path: "Sources/Examples/SingletonDelegate", swiftSettings: strict),
    .executableTarget(
      name: "download-service", dependencies: ["BackgroundTransfer"],
      path: "Sources/Examples/DownloadService", swiftSettings: strict),
    .executableTarget(
      name: "request-info", dependencies: ["BackgroundTransfer"],
      path: "Sources/Examples/RequestInfo", swiftSettings: strict),
    .executableTarget(
      name: "file-list", dependencies: ["BackgroundTransfer"],
      path: "Sources/Examples/FileList", swiftSettings: strict),

    // MARK: Benchmarks
    .executableTarget(
      name: "session-download", dependencies: ["BackgroundTransfer"],
      path: "Sources/Benchmarks/SessionDownload", swiftSettings: strict),
    .executableTarget(
      name: "foundation-download", path: "Sources/Benchmarks/FoundationDownload",
      swiftSettings: strict),
    .executableTarget(
      name: "measured-run", dependencies: ["KettleSystem"],
      path: "Sources/Benchmarks/MeasuredRun", swiftSettings: strict),
    .executableTarget(
      name: "kettle-floor", dependencies: [], path: "Sources/Benchmarks/Floor",
      linkerSettings: [.linkedLibrary("curl")]),
    .executableTarget(
      name: "origin-sockets", dependencies: [], path: "Sources/Benchmarks/OriginSockets"),
    .executableTarget(
      name: "first-screen", dependencies: ["CNcurses", "KettleSystem"],
      path: "Sources/Benchmarks/FirstScreen", swiftSettings: strict),
    .executableTarget(
      name: "control-requests",
      dependencies: ["ControlProtocol", "TransferClient", "TransferModel"],
      path: "Sources/Benchmarks/ControlRequests", swiftSettings: strict),
    .executableTarget(
      name: "dashboard-frames",
      dependencies: [
        "DashboardTerminal", "DashboardUI", "KettleSystem", "ProcessSpawn", "TransferModel",
        "CNcurses",
      ],
      path: "Sources/Benchmarks/DashboardFrames", swiftSettings: strict),

    // MARK: Tests
    .target(
      name: "TestSupport",
      dependencies: [
        "KettleSystem", "TransferCore", "TransferEngine", "TransferModel", "CCrypto", "CLinux",
      ],
      path: "Tests/TestSupport", swiftSettings: strict),
    .target(name: "SeededNumbers", path: "Tests/SeededNumbers", swiftSettings: strict),
    tests("ArchitectureTests", []),
    tests("KettleSystemTests", ["KettleSystem"]),
    tests("TransferModelTests", ["SeededNumbers", "TransferModel"]),
    tests("TransferCoreTests", ["KettleSystem", "SeededNumbers", "TransferCore", "TransferModel"]),
    tests("ControlProtocolTests", ["SeededNumbers", "ControlProtocol", "TransferModel"]),
    tests("DashboardUITests", ["SeededNumbers", "DashboardUI", "TransferModel"]),
    tests("ConfigurationTests", ["SeededNumbers", "Configuration", "TransferModel"]),
    tests("ConfigurationFilesTests", ["Configuration", "ConfigurationFiles"]),
    tests("BackgroundTasksTests", ["BackgroundTasks", "ControlProtocol", "TransferModel"]),
    tests(
      "BackgroundTransferTests",
      ["BackgroundTransfer", "ControlProtocol", "KettleSystem", "TransferModel"]),
    // The examples of the library's documentation; `make examples` writes its sources.
    tests("DocumentationTests", ["BackgroundTransfer", "TestSupport"]),
    appleSource("AppleSourceSwift5Tests", .v5),
    appleSource("AppleSourceSwift6Tests", .v6),
    tests("NetworkWatchTests", ["NetworkWatch", "TransferCore"]),
    .target(
      name: "ScriptedBus", dependencies: ["DesktopBus", "KettleSystem"], path: "Tests/ScriptedBus",
      swiftSettings: strict),
    tests("DesktopBusTests", ["DesktopBus", "ScriptedBus", "SeededNumbers"]),
    tests("MachineWatchTests", ["DesktopBus", "MachineWatch", "ScriptedBus", "TransferModel"]),
    tests(
      "DesktopAlertsTests", ["DesktopBus", "DesktopAlerts", "ScriptedBus", "TransferModel"]),
    tests("ProcessSpawnTests", ["KettleSystem", "ProcessSpawn"]),
    tests(
      "TransferEngineTests",
      ["KettleSystem", "TransferEngine", "TransferCore", "TransferModel", "TestSupport", logging]),
    tests(
      "CurlTransportTests",
      ["SeededNumbers", "CurlTransport", "TransferEngine", "TransferModel", "TestSupport", "CCurl"]),
    tests(
      "TransferFilesTests",
      [
        "KettleSystem", "TransferFiles", "TransferCore", "TransferEngine", "TransferModel",
        "TestSupport",
      ]),
    tests(
      "TransferStoreTests",
      [
        "KettleSystem", "SeededNumbers", "TransferStore", "TransferCore", "TransferEngine",
        "TransferModel", "TestSupport", grdb,
      ]),
    .testTarget(
      name: "CompatibilityTests",
      dependencies: ["TransferStore", "TransferEngine", "TransferModel", "TestSupport"],
      exclude: ["Fixtures"], swiftSettings: strict),
    tests(
      "ControlSocketTests", ["ControlSocket", "ControlProtocol", "TransferModel", "CLinux"]),
    tests(
      "TransferClientTests",
      [
        "TransferClient", "ControlSocket", "ControlProtocol", "KettleSystem", "ProcessSpawn",
        "TestSupport", "TransferModel", "CLinux",
      ]),
    // The dashboard over made-up rows, a program of its own: it takes over its terminal.
    .executableTarget(
      name: "dashboard-stage", dependencies: ["DashboardTerminal", "DashboardUI", "TransferModel"],
      path: "Tests/DashboardStage", swiftSettings: strict),
    tests(
      "DashboardTerminalTests",
      [
        "DashboardTerminal", "DashboardUI", "KettleSystem", "TransferModel", "CNcurses", "CLinux",
        "dashboard-stage",
      ]),
    tests(
      "TransferDaemonTests",
      [
        "TransferDaemon", "Configuration", "ControlProtocol", "ControlSocket", "CurlTransport",
        "DesktopBus", "DesktopAlerts", "KettleSystem", "MachineWatch", "TransferCore",
        "TransferEngine", "TransferModel", "TestSupport", logging,
      ]),
    // The engine over the real network, disk and store, and an origin that lies.
    tests(
      "WireTests",
      [
        "KettleSystem", "TransferEngine", "TransferCore", "TransferModel", "CurlTransport",
        "TransferFiles", "TransferStore", "TransferDaemon", "TestSupport", logging,
      ]),
    // What opens descriptors, in all targets at once.
    tests(
      "DescriptorTests",
      [
        "BackgroundTransfer", "Commands", "Configuration", "ConfigurationFiles", "ControlSocket",
        "CurlTransport", "DashboardTerminal", "DesktopBus", "KettleSystem", "MachineWatch",
        "NetworkWatch", "ProcessSpawn", "SeededNumbers", "TestSupport", "TransferClient",
        "TransferDaemon", "TransferEngine", "TransferFiles", "TransferModel", "TransferStore",
      ]),
    // The real program; it is built because the tests depend on it.
    tests(
      "IntegrationTests",
      [
        "kettle", "DesktopBus", "ScriptedBus", "SeededNumbers", "TestSupport", "TransferModel",
        "CLinux",
      ]),
    // The example programs over the real service.
    tests(
      "ExampleTests",
      [
        "kettle", "background-download", "singleton-delegate", "download-service", "request-info",
        "file-list", "TestSupport", "TransferModel", "CLinux",
      ]),
    // The library over the real service and an origin that lies.
    tests(
      "SessionTests",
      [
        "kettle", "singleton-delegate", "BackgroundTransfer", "ControlProtocol", "TestSupport",
        "TransferClient", "TransferModel",
      ]),
    // The same under kills, power cuts and full disks: `make test-faults` alone runs it.
    tests(
      "FaultStormTests",
      ["kettle", "SeededNumbers", "TestSupport", "TransferModel", "CLinux"]),
    // Mutated inputs for everything that reads what others wrote: `make test-fuzz` gives it longer.
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "Commands", "Configuration", "ControlProtocol", "CurlTransport", "KettleSystem",
        "SeededNumbers", "TestSupport", "TransferCore", "TransferDaemon", "TransferEngine",
        "TransferFiles", "TransferModel", "TransferStore", logging,
      ],
      exclude: ["Corpus"], swiftSettings: strict),
    tests("DemoOriginTests", ["SeededNumbers", "DemoOrigin", "CCrypto"]),
    tests(
      "CommandsTests",
      [
        "Commands", "Configuration", "ControlProtocol", "DashboardTerminal", "DashboardUI",
        "KettleSystem", "TestSupport", "TransferClient", "TransferModel",
        argumentParser,
      ]),
  ]
)
