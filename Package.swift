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

/// A library of another package. SwiftPM fetches that package only if the trait is enabled.
func outside(_ name: String, _ package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: ["Service"]))
}

/// A target that a build without fleets does not contain.
func onlyInFleets(_ name: String) -> Target.Dependency {
  .target(name: name, condition: .when(traits: ["Fleet"]))
}

let argumentParser = outside("ArgumentParser", "swift-argument-parser")
let grdb = outside("GRDB", "GRDB.swift")
let grdbSQLite = outside("GRDBSQLite", "GRDB.swift")
let logging = outside("Logging", "swift-log")
let nioCore = outside("NIOCore", "swift-nio")
let nioPosix = outside("NIOPosix", "swift-nio")
let nioHTTP1 = outside("NIOHTTP1", "swift-nio")
let nioWebSocket = outside("NIOWebSocket", "swift-nio")
let fleet = onlyInFleets("KettleFleet")
let postgres = onlyInFleets("KettlePostgres")

let package = Package(
  name: "kettle",
  products: [
    .executable(name: "kettle", targets: ["kettle"]),
    .library(name: "BackgroundTransfer", targets: ["BackgroundTransfer"]),
  ],
  traits: [
    .trait(
      name: "Service",
      description: "The program kettle and its service. BackgroundTransfer does not need it."),
    .trait(
      name: "Fleet",
      description: "A queue for several machines, in a PostgreSQL database."),
    .default(enabledTraits: ["Service", "Fleet"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    // MARK: C boundary
    .target(name: "CKettleCurl"),
    .target(name: "CKettleUnpacking", dependencies: ["CKettleCurl"]),
    .target(name: "CKettlePostgres", dependencies: ["CKettleCurl"], publicHeadersPath: "."),
    .systemLibrary(name: "CKettleNcurses"),
    .systemLibrary(name: "CKettleSQLite"),
    .systemLibrary(name: "CKettleLinux"),

    // MARK: Pure
    target("KettleModel"),
    target("KettleCollections", ["KettleModel"]),
    target("KettleScheduler", ["KettleCollections", "KettleModel"]),
    target("KettleControl", ["KettleModel"]),
    target("KettleDashboard", ["KettleCollections", "KettleModel"]),
    target("KettleConfiguration", ["KettleModel"]),
    target("KettleFleet", ["KettleModel"]),

    // MARK: Shell
    target("KettleSystem", ["KettleModel", "CKettleLinux"]),
    target("KettleEngine", ["KettleModel", "KettleScheduler", "KettleSystem", logging]),
    target("KettleCurl", ["KettleEngine", "KettleModel", "KettleSystem", "CKettleCurl"]),
    target(
      "KettleFiles",
      [
        "KettleEngine", "KettleModel", "KettleSystem", "CKettleCurl", "CKettleLinux",
        "CKettleUnpacking",
      ]),
    target(
      "KettleStore",
      [
        "KettleEngine", "KettleModel", "KettleScheduler", "KettleSystem", "CKettleCurl",
        "CKettleSQLite", grdb, grdbSQLite,
      ]),
    target("KettleObjects", ["KettleEngine", "KettleModel", "KettleSystem"]),
    target(
      "KettlePostgres",
      ["KettleFleet", "KettleModel", "KettleSystem", "CKettleLinux", "CKettlePostgres"]),
    target("KettleStarter", ["KettleControl", "KettleModel", "KettleSystem", "CKettleLinux"]),
    target(
      "KettleSocket",
      [
        "KettleControl", "KettleModel", "KettleStarter", "KettleSystem", "CKettleLinux", nioCore,
        nioPosix,
      ]),
    target(
      "KettleRPC",
      [
        "KettleControl", "KettleModel", "KettleSystem", nioCore, nioHTTP1, nioPosix, nioWebSocket,
      ]),
    target("KettleDesktop", ["KettleModel", "KettleSystem"]),
    target("KettleTerminal", ["KettleDashboard", "KettleModel", "KettleSystem", "CKettleNcurses"]),
    target("KettleDemo", ["KettleModel", "KettleSystem", nioCore, nioHTTP1, nioPosix]),

    // MARK: Products
    // Depends on no other package, so that a program that imports it compiles only these targets.
    target(
      "BackgroundTransfer",
      [
        "KettleControl", "KettleModel", "KettleStarter", "KettleSystem", "CKettleLinux",
      ]),
    target(
      "KettleDaemon",
      [
        "KettleConfiguration", "KettleControl", "KettleCurl", "KettleDesktop", "KettleEngine",
        "KettleFiles", "KettleModel", "KettleObjects", "KettleRPC", "KettleScheduler",
        "KettleSocket", "KettleStarter", "KettleStore", "KettleSystem", "CKettleLinux", logging,
        fleet, postgres,
      ]),
    target(
      "KettleCommands",
      [
        "KettleCollections", "KettleConfiguration", "KettleControl", "KettleDashboard",
        "KettleModel", "KettleRPC", "KettleSocket", "KettleStarter", "KettleSystem",
        "KettleTerminal", argumentParser,
      ]),
    .executableTarget(
      name: "kettle",
      dependencies: [
        "KettleCommands", "KettleControl", "KettleDaemon", "KettleDemo", "KettleFiles",
        "KettleSocket", "KettleStarter", "KettleStore", "KettleSystem",
      ],
      swiftSettings: strict),

    // MARK: Examples, one for each way of writing a background download
    .executableTarget(
      name: "background-download", dependencies: ["BackgroundTransfer"],
      path: "Examples/BackgroundDownload", swiftSettings: strict),
    .executableTarget(
      name: "singleton-delegate", dependencies: ["BackgroundTransfer"],
      path: "Examples/SingletonDelegate", swiftSettings: strict),
    .executableTarget(
      name: "download-service", dependencies: ["BackgroundTransfer"],
      path: "Examples/DownloadService", swiftSettings: strict),
    .executableTarget(
      name: "request-info", dependencies: ["BackgroundTransfer"],
      path: "Examples/RequestInfo", swiftSettings: strict),
    .executableTarget(
      name: "file-list", dependencies: ["BackgroundTransfer"],
      path: "Examples/FileList", swiftSettings: strict),

    // MARK: Benchmarks
    .executableTarget(
      name: "session-download", dependencies: ["BackgroundTransfer"],
      path: "Benchmarks/SessionDownload", swiftSettings: strict),
    .executableTarget(
      name: "foundation-download", path: "Benchmarks/FoundationDownload",
      swiftSettings: strict),
    .executableTarget(
      name: "measured-run", dependencies: ["KettleSystem"],
      path: "Benchmarks/MeasuredRun", swiftSettings: strict),
    .executableTarget(
      name: "kettle-floor", dependencies: [], path: "Benchmarks/Floor",
      linkerSettings: [.linkedLibrary("curl")]),
    .executableTarget(
      name: "origin-sockets", dependencies: [], path: "Benchmarks/OriginSockets"),
    .target(name: "LinkModel", path: "Benchmarks/LinkModel"),
    .executableTarget(
      name: "link-emulator", dependencies: ["LinkModel"], path: "Benchmarks/LinkEmulator"),
    .executableTarget(
      name: "first-screen", dependencies: ["KettleSystem", "CKettleNcurses"],
      path: "Benchmarks/FirstScreen", swiftSettings: strict),
    .executableTarget(
      name: "control-requests",
      dependencies: ["KettleControl", "KettleModel", "KettleSocket", "KettleStarter"],
      path: "Benchmarks/ControlRequests", swiftSettings: strict),
    .executableTarget(
      name: "dashboard-frames",
      dependencies: [
        "KettleDashboard", "KettleModel", "KettleSystem", "KettleTerminal", "CKettleNcurses",
      ],
      path: "Benchmarks/DashboardFrames", swiftSettings: strict),

    // MARK: Tests
    .target(
      name: "TestSupport",
      dependencies: [
        "KettleEngine", "KettleModel", "KettleScheduler", "KettleSystem", "CKettleCurl",
        "CKettleLinux",
      ],
      path: "Tests/TestSupport", swiftSettings: strict),
    tests("LinkModelTests", ["LinkModel"]),
    .target(name: "SeededNumbers", path: "Tests/SeededNumbers", swiftSettings: strict),
    tests("ArchitectureTests", []),
    tests("KettleSystemTests", ["KettleModel", "KettleSystem"]),
    tests("KettleModelTests", ["KettleModel", "KettleSystem", "SeededNumbers"]),
    tests(
      "KettleSchedulerTests", ["KettleModel", "KettleScheduler", "KettleSystem", "SeededNumbers"]),
    tests("KettleCollectionsTests", ["KettleCollections", "KettleModel", "SeededNumbers"]),
    tests("KettleFleetTests", ["KettleFleet", "KettleModel", "SeededNumbers"]),
    tests("KettleControlTests", ["KettleControl", "KettleModel", "SeededNumbers"]),
    .testTarget(
      name: "KettleDashboardTests",
      dependencies: ["KettleDashboard", "KettleModel", "SeededNumbers"],
      exclude: ["Pictures"], swiftSettings: strict),
    tests("KettleConfigurationTests", ["KettleConfiguration", "KettleModel", "SeededNumbers"]),
    tests("KettleRPCTests", ["KettleModel", "KettleRPC", "KettleSystem", "TestSupport"]),
    tests(
      "BackgroundTransferTests",
      ["BackgroundTransfer", "KettleControl", "KettleModel", "KettleSystem", "TestSupport"]),
    // The examples of the library's documentation; `make examples` writes their sources.
    tests("DocumentationTests", ["BackgroundTransfer", "TestSupport"]),
    .executableTarget(
      name: "documentation-program", dependencies: ["BackgroundTransfer"],
      path: "Tests/DocumentationPrograms", swiftSettings: strict),
    // A program that requests transfers and ends, for the tests of sessions.
    .executableTarget(
      name: "session-program", dependencies: ["BackgroundTransfer"], path: "Tests/SessionProgram",
      swiftSettings: strict),
    appleSource("AppleSourceSwift5Tests", .v5),
    appleSource("AppleSourceSwift6Tests", .v6),
    tests(
      "KettleDesktopTests",
      ["KettleDesktop", "KettleModel", "ScriptedBus", "SeededNumbers"]),
    .target(
      name: "ScriptedBus", dependencies: ["KettleDesktop", "KettleSystem"],
      path: "Tests/ScriptedBus",
      swiftSettings: strict),
    tests(
      "KettleEngineTests",
      [
        "KettleEngine", "KettleModel", "KettleScheduler", "KettleSystem", "SeededNumbers",
        "TestSupport", logging,
      ]),
    tests(
      "KettleCurlTests",
      ["KettleCurl", "KettleEngine", "KettleModel", "SeededNumbers", "TestSupport", "CKettleCurl"]),
    tests(
      "KettleFilesTests",
      [
        "KettleEngine", "KettleFiles", "KettleModel", "KettleScheduler", "KettleSystem",
        "TestSupport",
      ]),
    tests(
      "KettleObjectsTests",
      ["KettleEngine", "KettleModel", "KettleObjects", "KettleSystem", "TestSupport"]),
    // They start a PostgreSQL, and are skipped where none is installed.
    tests(
      "KettlePostgresTests",
      ["KettleFleet", "KettleModel", "KettlePostgres", "KettleSystem", "TestSupport"]),
    tests(
      "KettleStoreTests",
      [
        "KettleEngine", "KettleModel", "KettleScheduler", "KettleStore", "KettleSystem",
        "SeededNumbers", "TestSupport", grdb,
      ]),
    .testTarget(
      name: "CompatibilityTests",
      dependencies: ["KettleEngine", "KettleModel", "KettleStore", "TestSupport"],
      exclude: ["Fixtures"], swiftSettings: strict),
    tests(
      "KettleSocketTests",
      [
        "KettleControl", "KettleModel", "KettleSocket", "KettleStarter", "KettleSystem",
        "TestSupport", "CKettleLinux",
      ]),
    // The dashboard over made-up rows, a program of its own: it takes over its terminal.
    .executableTarget(
      name: "dashboard-stage", dependencies: ["KettleDashboard", "KettleModel", "KettleTerminal"],
      path: "Tests/DashboardStage", swiftSettings: strict),
    tests(
      "KettleTerminalTests",
      [
        "KettleDashboard", "KettleModel", "KettleSystem", "KettleTerminal", "dashboard-stage",
        "CKettleLinux", "CKettleNcurses",
      ]),
    tests(
      "KettleDaemonTests",
      [
        "KettleConfiguration", "KettleControl", "KettleCurl", "KettleDaemon", "KettleDesktop",
        "KettleEngine", "KettleFiles", "KettleFleet", "KettleModel", "KettleRPC", "KettleScheduler",
        "KettleSocket", "KettleStarter", "KettleSystem", "TestSupport", logging,
      ]),
    // The whole engine on one thread, over a network, a disk and a store that fail by a seed.
    tests(
      "SimulationTests",
      [
        "KettleEngine", "KettleModel", "KettleScheduler", "KettleSystem", "SeededNumbers",
        "TestSupport", logging,
      ]),
    // The engine over the real network, disk and store, and an origin that lies.
    tests(
      "WireTests",
      [
        "KettleCurl", "KettleDaemon", "KettleEngine", "KettleFiles", "KettleModel",
        "KettleScheduler", "KettleStore", "KettleSystem", "TestSupport", logging,
      ]),
    // What opens descriptors, in all targets at once.
    tests(
      "DescriptorTests",
      [
        "BackgroundTransfer", "KettleCommands", "KettleConfiguration", "KettleCurl", "KettleDaemon",
        "KettleDesktop", "KettleEngine", "KettleFiles", "KettleModel", "KettleSocket",
        "KettleStarter", "KettleStore", "KettleSystem", "KettleTerminal", "SeededNumbers",
        "TestSupport",
      ]),
    // The real program; it is built because the tests depend on it.
    tests(
      "IntegrationTests",
      [
        "KettleDesktop", "KettleModel", "ScriptedBus", "SeededNumbers", "TestSupport", "kettle",
        "CKettleLinux",
      ]),
    // The example programs over the real service.
    tests(
      "ExampleTests",
      [
        "KettleModel", "TestSupport", "background-download", "documentation-program",
        "download-service", "file-list", "kettle", "request-info", "session-program",
        "singleton-delegate", "CKettleLinux",
      ]),
    // The library over the real service and an origin that lies.
    tests(
      "SessionTests",
      [
        "BackgroundTransfer", "KettleControl", "KettleModel", "KettleSocket", "KettleStarter",
        "TestSupport", "kettle", "singleton-delegate",
      ]),
    // The same under kills, power cuts and full disks: `make test-faults` alone runs it.
    tests(
      "FaultStormTests", ["KettleModel", "SeededNumbers", "TestSupport", "kettle", "CKettleLinux"]),
    // The real program over real servers and proxies: `make test-servers` alone runs it.
    tests("ServerTests", ["TestSupport", "kettle"]),
    // Mutated inputs for everything that reads what others wrote: `make test-fuzz` gives it longer.
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "KettleCollections", "KettleCommands", "KettleConfiguration", "KettleControl", "KettleCurl",
        "KettleDaemon", "KettleEngine", "KettleFiles", "KettleModel", "KettleRPC",
        "KettleScheduler", "KettleStore", "KettleSystem", "SeededNumbers", "TestSupport", logging,
      ],
      exclude: ["Corpus"], swiftSettings: strict),
    tests("KettleDemoTests", ["KettleDemo", "SeededNumbers", "CKettleCurl"]),
    tests(
      "KettleCommandsTests",
      [
        "KettleCommands", "KettleConfiguration", "KettleControl", "KettleDashboard", "KettleModel",
        "KettleRPC", "KettleSocket", "KettleStarter", "KettleSystem", "KettleTerminal",
        "TestSupport", argumentParser,
      ]),
  ]
)
