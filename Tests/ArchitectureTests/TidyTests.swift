import Testing

/// Applies the rules to the whole tree. The tests of each rule are beside the rule.
struct TidyTests {
  private let repository: Repository

  init() throws { repository = try Repository.current.get() }

  private func expectNone(
    _ findings: [Finding], _ location: SourceLocation = #_sourceLocation
  ) {
    for finding in findings { Issue.record("\(finding)", sourceLocation: location) }
  }

  @Test func `every target imports only what the table allows`() {
    expectNone(repository.swift.flatMap { ImportRule.findings(in: $0, table: importTable) })
  }

  @Test func `the import table matches Package.swift`() throws {
    let manifest = Manifest(try #require(repository.file("Package.swift")))
    let table = importTable.mapValues { $0.ours.union($0.outside) }
    #expect(Set(table.keys) == Set(manifest.dependencies.keys))
    for (target, dependencies) in manifest.dependencies {
      #expect(table[target] == dependencies, "\(target)")
    }
    #expect(Set(repository.targets).isSubset(of: table.keys))
  }

  /// What a program needs that uses the library; `PackageGraphTests` resolves such a program.
  @Test func `the library uses nothing from another package`() throws {
    let manifest = Manifest(try #require(repository.file("Package.swift")))
    let used = manifest.allDependencies(of: "BackgroundTransfer")
    #expect(used.isSuperset(of: ["KettleControl", "KettleModel"]))
    #expect(manifest.products.contains("GRDB"))
    #expect(used.isDisjoint(with: manifest.products))
  }

  private static let pureTargets: Set = [
    "KettleCollections", "KettleConfiguration", "KettleControl", "KettleDashboard", "KettleFleet",
    "KettleModel", "KettleScheduler",
  ]

  /// Folders of shell targets whose files are as pure as a pure target.
  private static let pureFolders = [
    "Sources/BackgroundTransfer/Machine/", "Sources/KettleRPC/Aria2/",
  ]

  @Test func `pure targets import only pure targets`() {
    for target in Self.pureTargets {
      let row = importTable[target]
      #expect(row?.ours.isSubset(of: Self.pureTargets) == true, "\(target)")
      #expect(row?.outside == [], "\(target)")
      #expect(row?.system.subtracting(["FoundationEssentials"]) == [], "\(target)")
    }
  }

  @Test func `pure folders import only pure targets`() {
    for folder in Self.pureFolders {
      let files = repository.swift.filter { $0.path.hasPrefix(folder) }
      #expect(!files.isEmpty, "\(folder)")
      for file in files {
        let modules = ImportRule.modules(in: file).map(\.module)
        #expect(Set(modules).isSubset(of: Self.pureTargets), "\(file.path)")
      }
    }
  }

  @Test func `each external library has only its expected importers`() {
    var importers: [String: Set<String>] = [:]
    for (target, row) in importTable {
      for library in row.outside { importers[library, default: []].insert(target) }
    }
    let expected: [String: Set<String>] = [
      "ArgumentParser": ["KettleCommands"],
      "CKettleCurl": ["KettleCurl", "KettleFiles", "KettleStore"],
      "CKettleLinux": [
        "BackgroundTransfer", "KettleDaemon", "KettleFiles", "KettlePostgres", "KettleSocket",
        "KettleStarter", "KettleSystem",
      ],
      "CKettleNcurses": ["Benchmarks", "KettleTerminal"], "CKettleSQLite": ["KettleStore"],
      "CKettlePostgres": ["KettlePostgres"],
      "CKettleUnpacking": ["KettleFiles"],
      "GRDB": ["KettleStore"], "GRDBSQLite": ["KettleStore"],
      "Logging": ["KettleDaemon", "KettleEngine"],
      "NIOCore": ["KettleDemo", "KettleRPC", "KettleSocket"],
      "NIOHTTP1": ["KettleDemo", "KettleRPC"],
      "NIOPosix": ["KettleDemo", "KettleRPC", "KettleSocket"], "NIOWebSocket": ["KettleRPC"],
    ]
    #expect(importers == expected)
  }

  @Test func `files, functions and lines stay within their limits`() {
    expectNone(repository.swift.flatMap(SizeRule.findings))
  }

  /// Folders with fewer than two files. The list may only shrink.
  private static let sparseFolders: Set<String> = []

  /// Extensions of fewer than 25 lines with a file of their own. The list may only shrink.
  private static let fragments: Set<String> = []

  /// The number of functions with three or more parameters without a label. It may only fall.
  private static let unlabeledFunctionCount = 0

  @Test func `every folder of the product holds at least two files`() {
    expectNone(
      RoomRule.sparseFolders(repository.files.map(\.path), exceptions: Self.sparseFolders))
  }

  @Test func `no small extension has a file of its own`() {
    expectNone(RoomRule.fragments(repository.files, exceptions: Self.fragments))
  }

  /// Small files whose types only one other file names. The number may only fall.
  private static let loneFileCount = 8

  @Test func `a type that one file uses stands in that file`() {
    let findings = LoneFileRule.findings(in: repository.swift)
    if findings.count > Self.loneFileCount { expectNone(findings) }
    #expect(findings.count == Self.loneFileCount, "lower the number when it has fallen")
  }

  @Test func `functions label their parameters`() {
    let findings = repository.swift.filter(\.isSource).flatMap(LabelRule.findings)
    if findings.count > Self.unlabeledFunctionCount { expectNone(findings) }
    #expect(findings.count == Self.unlabeledFunctionCount, "lower the number when it has fallen")
  }

  @Test func `no file contains a construct that is banned there`() {
    expectNone(repository.swift.flatMap(BannedRule.findings))
  }

  @Test func `every descriptor has an owner that closes it once`() {
    expectNone(repository.swift.flatMap(DescriptorRule.findings))
  }

  @Test func `the tree contains no postponed work, vague names or foreign paths`() {
    expectNone(repository.files.flatMap(WordRule.findings))
  }

  @Test func `every target has a row with its invariant in docs/architecture.md`() throws {
    let document = try #require(repository.file("docs/architecture.md"))
    let targets = importTable.keys.sorted()
    expectNone(DocumentRule.undescribedTargets(targets, in: document))
    expectNone(DocumentRule.unknownTargets(targets, in: document))
  }

  @Test func `every linked or named document exists`() {
    let files = repository.files
    expectNone(files.flatMap { DocumentRule.brokenLinks(in: $0, exists: repository.exists) })
    expectNone(files.flatMap { DocumentRule.missingDocuments(in: $0, exists: repository.exists) })
  }

  @Test func `every picture of a screen shows what its caption names`() throws {
    let readme = try #require(repository.file("README.md"))
    let captions = PictureRule.captions(in: readme)
    #expect(captions.count >= 2)
    expectNone(
      captions.flatMap { caption in
        PictureRule.findings(
          caption, picture: repository.file(caption.picturePath)?.lines.joined(separator: "\n"),
          in: readme.path)
      })
  }

  @Test func `every picture is in a document and has text`() {
    let pictures = repository.files.filter {
      $0.path.hasPrefix("docs/pictures/") && $0.path.hasSuffix(".svg")
    }
    let documents = repository.files.filter { $0.path.hasSuffix(".md") }
    #expect(pictures.count > 10)
    expectNone(pictures.flatMap { PictureRule.findings(in: $0, shownIn: documents) })
  }

  @Test func `the moving picture moves, is small and begins with a whole screen`() throws {
    let moving = repository.files.filter {
      $0.path.hasPrefix("docs/pictures/") && MovingPictureRule.moves($0)
    }
    #expect(moving.map(\.path) == ["docs/pictures/kettle.svg"])
    expectNone(moving.flatMap(MovingPictureRule.findings))
    for picture in moving {
      #expect(picture.lines.reduce(0) { $0 + $1.utf8.count + 1 } < 350_000)
      let texts = try #require(PictureRule.texts(in: picture.lines.joined(separator: "\n")))
      let shown = texts.filter(\.isVisible).map(\.content)
      #expect(shown.contains { $0.contains("running 4") })
      #expect(shown.contains { $0.hasSuffix("leave") })
      #expect(shown.count < texts.count)
    }
  }

  @Test(arguments: [
    (
      "States that people see", "public enum TransferState",
      "Sources/KettleModel/State/TransferState.swift"
    ),
    (
      "States of the machine", "package indirect enum State",
      "Sources/KettleScheduler/Machine/MachineState.swift"
    ),
    (
      "Programs of sessions", "package enum Program",
      "Sources/KettleScheduler/Sessions/SessionMachine.swift"
    ),
  ])
  func `a state diagram has exactly the cases of its enum`(
    title: String, declaration: String, path: String
  ) throws {
    let document = try #require(repository.file("docs/states.md"))
    let cases = DocumentRule.cases(ofEnum: declaration, in: try #require(repository.file(path)))
    #expect(!cases.isEmpty)
    #expect(DocumentRule.statesDrawn(under: title, in: document) == cases)
  }

  @Test func `every event of a history is in docs/protocol.md`() throws {
    let lines = try #require(repository.file("docs/protocol.md")).lines
    let path = "Sources/KettleModel/Snapshot/HistoryEvent.swift"
    let events = DocumentRule.cases(
      ofEnum: "package indirect enum HistoryEvent", in: try #require(repository.file(path)))
    #expect(events.count > 20)
    for event in events {
      #expect(lines.contains { $0.hasPrefix("| ") && $0.contains("`\(event)`") }, "\(event)")
    }
  }

  @Test func `every transition in the machine's diagram is in the table of legal transitions`()
    throws
  {
    let document = try #require(repository.file("docs/states.md"))
    let table = "Sources/KettleScheduler/Machine/MachineState+Exits.swift"
    let exits = DocumentRule.exits(in: try #require(repository.file(table)))
    let drawn = DocumentRule.transitionsDrawn(under: "States of the machine", in: document)
    #expect(drawn.count > 40)
    for (from, to) in drawn {
      #expect(exits[from]?.contains(to) == true, "\(from) to \(to)")
    }
  }

  @Test func `every fault has tests or a reason for having none`() throws {
    let document = try #require(repository.file("docs/faults.md"))
    expectNone(
      FaultRule.findings(
        rows: FaultRule.rows(in: document), marked: FaultRule.marked(in: repository.swift),
        path: document.path))
  }

  @Test func `every guard names an existing line and test`() throws {
    let list = try #require(repository.file("assets/guards/guards.txt"))
    expectNone(
      GuardRule.findings(
        in: list, tests: FaultRule.names(in: repository.swift), file: repository.file))
  }

  @Test func `the public API is documented`() throws {
    let library = repository.swift.filter { $0.path.hasPrefix("Sources/BackgroundTransfer/") }
    let protocols = DocumentationRule.protocols(in: library)
    #expect(protocols.count == 5)
    expectNone(library.flatMap { DocumentationRule.findings(in: $0, protocols: protocols) })
    let page = "Sources/BackgroundTransfer/Documentation.docc/BackgroundTransfer.md"
    expectNone(
      DocumentationRule.uncurated(
        in: library, page: try #require(repository.file(page)), protocols: protocols))
  }

  @Test func `the checked tree is complete`() {
    #expect(repository.swift.count > 40)
    #expect(repository.file("Sources/KettleModel/State/TransferState.swift") != nil)
    #expect(repository.file("Tests/ArchitectureTests/TidyTests.swift") != nil)
    #expect(repository.file("Makefile") != nil)
  }
}
