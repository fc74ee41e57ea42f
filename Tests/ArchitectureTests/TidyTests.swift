import Testing

/// Holds the rules against the whole tree. What each rule finds is tested beside the rule.
struct TidyTests {
  private let repository: Repository

  init() throws { repository = try Repository.current.get() }

  private func expectNone(
    _ findings: [Finding], _ location: SourceLocation = #_sourceLocation
  ) {
    for finding in findings { Issue.record("\(finding)", sourceLocation: location) }
  }

  @Test func `every target imports only what the table gives it`() {
    expectNone(repository.swift.flatMap { ImportRule.findings(in: $0, table: importTable) })
  }

  @Test func `the table is what Package,swift says`() throws {
    let manifest = Manifest(try #require(repository.file("Package.swift")))
    let table = importTable.mapValues { $0.ours.union($0.outside) }
    #expect(Set(table.keys) == Set(manifest.dependencies.keys))
    for (target, dependencies) in manifest.dependencies {
      #expect(table[target] == dependencies, "\(target)")
    }
    #expect(Set(repository.targets).isSubset(of: table.keys))
  }

  @Test func `each outside library has its importers and no others`() {
    var importers: [String: Set<String>] = [:]
    for (target, row) in importTable {
      for library in row.outside { importers[library, default: []].insert(target) }
    }
    let expected: [String: Set<String>] = [
      "ArgumentParser": ["KettleCommands"], "CKettleCurl": ["KettleCurl", "KettleFiles"],
      "CKettleLinux": [
        "BackgroundTransfer", "KettleClient", "KettleDaemon", "KettleFiles", "KettleSocket",
        "KettleStore", "KettleSystem",
      ],
      "CKettleNcurses": ["Benchmarks", "KettleTerminal"], "CKettleSQLite": ["KettleStore"],
      "GRDB": ["KettleStore"], "GRDBSQLite": ["KettleStore"],
      "Logging": ["KettleDaemon", "KettleEngine"], "NIOCore": ["KettleDemo", "KettleSocket"],
      "NIOHTTP1": ["KettleDemo"], "NIOPosix": ["KettleDemo", "KettleSocket"],
    ]
    #expect(importers == expected)
  }

  @Test func `files, functions and lines are short`() {
    expectNone(repository.swift.flatMap(SizeRule.findings))
  }

  @Test func `nothing crashes, sleeps, prints or reads the clock where it may not`() {
    expectNone(repository.swift.flatMap(BannedRule.findings))
  }

  @Test func `every descriptor has an owner that closes it once`() {
    expectNone(repository.swift.flatMap(DescriptorRule.findings))
  }

  @Test func `nothing is put off, vague, or named after a place that nobody has`() {
    expectNone(repository.files.flatMap(WordRule.findings))
  }

  @Test func `every target has a row with its invariant in the architecture`() throws {
    let paper = try #require(repository.file("docs/architecture.md"))
    let targets = importTable.keys.sorted()
    expectNone(DocumentRule.undescribedTargets(targets, in: paper))
    expectNone(DocumentRule.unknownTargets(targets, in: paper))
  }

  @Test func `every link and every paper that is named leads somewhere`() {
    let files = repository.files
    expectNone(files.flatMap { DocumentRule.brokenLinks(in: $0, exists: repository.exists) })
    expectNone(files.flatMap { DocumentRule.missingPapers(in: $0, exists: repository.exists) })
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

  @Test(arguments: [
    (
      "States that people see", "public enum TransferState",
      "Sources/KettleModel/State/TransferState.swift"
    ),
    (
      "States of the machine", "package enum State",
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
    let paper = try #require(repository.file("docs/states.md"))
    let cases = DocumentRule.cases(ofEnum: declaration, in: try #require(repository.file(path)))
    #expect(!cases.isEmpty)
    #expect(DocumentRule.statesDrawn(under: title, in: paper) == cases)
  }

  @Test func `every transition drawn of the machine is in the table of legal ones`() throws {
    let paper = try #require(repository.file("docs/states.md"))
    let table = "Sources/KettleScheduler/Machine/MachineState+Exits.swift"
    let exits = DocumentRule.exits(in: try #require(repository.file(table)))
    let drawn = DocumentRule.transitionsDrawn(under: "States of the machine", in: paper)
    #expect(drawn.count > 40)
    for (from, to) in drawn {
      #expect(exits[from]?.contains(to) == true, "\(from) to \(to)")
    }
  }

  @Test func `every fault has its tests, or the reason why it has none`() throws {
    let paper = try #require(repository.file("docs/faults.md"))
    expectNone(
      FaultRule.findings(
        rows: FaultRule.rows(in: paper), marked: FaultRule.marked(in: repository.swift),
        path: paper.path))
  }

  @Test func `every guard names a line and a test that are there`() throws {
    let list = try #require(repository.file("assets/guards/guards.txt"))
    expectNone(
      GuardRule.findings(
        in: list, tests: FaultRule.names(in: repository.swift), file: repository.file))
  }

  @Test func `what programs see of the library is documented`() throws {
    let library = repository.swift.filter { $0.path.hasPrefix("Sources/BackgroundTransfer/") }
    let protocols = DocumentationRule.protocols(in: library)
    #expect(protocols.count == 4)
    expectNone(library.flatMap { DocumentationRule.findings(in: $0, protocols: protocols) })
    let page = "Sources/BackgroundTransfer/Documentation.docc/BackgroundTransfer.md"
    expectNone(
      DocumentationRule.uncurated(
        in: library, page: try #require(repository.file(page)), protocols: protocols))
  }

  @Test func `the tree that is checked is the whole tree`() {
    #expect(repository.swift.count > 40)
    #expect(repository.file("Sources/KettleModel/State/TransferState.swift") != nil)
    #expect(repository.file("Tests/ArchitectureTests/TidyTests.swift") != nil)
    #expect(repository.file("Makefile") != nil)
  }
}
