import Testing

/// Each rule against a small bad sample, which proves that it can fail.
struct RuleTests {
  private func source(
    _ text: String, at path: String = "Sources/KettleScheduler/Sample.swift"
  ) -> SourceText {
    SourceText(path: path, text: text)
  }

  private func lines(_ findings: [Finding]) -> [Int] { findings.map(\.line) }

  // MARK: Imports

  private func foreignImports(_ text: String, at path: String) -> [Int] {
    lines(ImportRule.findings(in: source(text, at: path), table: importTable))
  }

  @Test func `an import missing from the table is found in any form`() {
    let text = """
      import KettleModel
      import Foundation
      @preconcurrency import Glibc
      package import struct GRDB.Row
      // import Dispatch
      let text = "import Dispatch"
      @testable import CKettleCurl
      """
    #expect(foreignImports(text, at: "Sources/KettleScheduler/Sample.swift") == [2, 3, 4, 7])
  }

  @Test func `no target imports a shell target above it`() {
    #expect(foreignImports("import KettleDaemon", at: "Sources/KettleCommands/A.swift") == [1])
    #expect(foreignImports("import KettleCurl", at: "Sources/KettleEngine/A.swift") == [1])
    #expect(foreignImports("import Foundation", at: "Sources/NewTarget/A.swift") == [1])
  }

  @Test func `a test may import an external library only if its target does`() {
    #expect(foreignImports("import GRDB", at: "Tests/KettleSchedulerTests/A.swift") == [1])
    #expect(foreignImports("import GRDB", at: "Tests/KettleStoreTests/A.swift") == [])
    #expect(foreignImports("import NIOTLS", at: "Tests/KettleSocketTests/A.swift") == [1])
    #expect(foreignImports("import XCTest", at: "Tests/KettleSchedulerTests/A.swift") == [1])
    #expect(foreignImports("import Foundation", at: "Tests/KettleSchedulerTests/A.swift") == [])
  }

  // MARK: Sizes

  @Test func `a file of 601 lines is found and one of 600 is not`() {
    let long = String(repeating: "a\n", count: 601)
    #expect(lines(SizeRule.findings(in: source(long))) == [0])
    #expect(SizeRule.findings(in: source(String(long.dropLast(2)))) == [])
  }

  @Test func `a long line is found unless it contains a string`() {
    let long = String(repeating: "a", count: 101)
    #expect(lines(SizeRule.findings(in: source("a\n" + long))) == [2])
    #expect(SizeRule.findings(in: source("let a = \"\(long)\"")) == [])
    #expect(SizeRule.findings(in: source("// " + String(repeating: "ä", count: 97))) == [])
  }

  @Test(arguments: ["func a() {", "init?(b: Int = { 5 }()) {", "var a: Int {", "deinit {"])
  func `a body of more than 70 lines is found`(opening: String) {
    let body = { (count: Int) in String(repeating: "  _ = \"}\" // {\n", count: count) }
    let long = source("struct A {\n" + opening + "\n" + body(69) + "}\n}")
    #expect(lines(SizeRule.findings(in: long)) == [2])
    #expect(
      SizeRule.findings(in: source("struct A {\n" + opening + "\n" + body(68) + "}\n}")) == [])
  }

  @Test func `functions are found with their lines and lengths`() {
    let text = """
      protocol A {
        func first()
        var second: Int { get }
        func third() -> Int
      }
      extension A {
        func fourth<
          B
        >(b: B) -> Int
        where B: Sendable {
          self.init(5)
          return 5
        }
        static func < (left: Self, right: Self) -> Bool {
          true
        }
      }
      """
    let functions = FunctionScanner(source(text)).functions
    #expect(functions.map(\.line) == [3, 7, 14])
    #expect(functions.map(\.lineCount) == [1, 7, 3])
  }

  // MARK: Bans

  private func banned(_ text: String, at path: String = "Sources/KettleScheduler/A.swift") -> [Int]
  {
    lines(BannedRule.findings(in: source(text, at: path)))
  }

  @Test(arguments: [
    "let a = try! b()", "let a = b as! Int", "let a = b!", "a![0]", "a()!.b", "a[0]!", "var a: B!",
    "let a: Optional<B>!", "\"\\(a!)\"", "a!!.b", "fatalError(\"x\")", "sleep(1)", "usleep(5)",
    "try await Task.sleep(for: .seconds(1))", "try await clock.sleep(for: .zero)",
    "Thread.sleep(forTimeInterval: 1)", "print(5)", "let a = Date()", "let a = Date.now",
    "TransferScheduler(limits: a)",
    "final class A: @unchecked Sendable {", "nonisolated(unsafe) var a = 5",
  ])
  func `banned code is found`(line: String) {
    #expect(banned("let x = 5\n" + line) == [2])
  }

  @Test(arguments: [
    "let a = !b", "if !a, !(b) { }", "a != b", "#if !os(macOS)", "let a = b as? Int", "\"no!\"",
    "// try! a", "`wait!`()", "blueprint(5)", "page.print(5)", "func print(_ a: Int) {",
    "func sleep(until: Int) {", "let a = Date(timeIntervalSince1970: 5)", "retry(!a)",
  ])
  func `look-alikes are accepted`(line: String) {
    #expect(banned(line) == [])
  }

  @Test func `a closure is not the value of a lock`() {
    for type in ["(@Sendable (Int) -> Void)?", "@Sendable () async -> Int", "(() throws -> Void)?"]
    {
      #expect(banned("let a = Mutex<\(type)>(nil)") == [1], "\(type)")
    }
    for type in ["[() -> Void]", "State", "[String: @Sendable () -> Void]"] {
      #expect(banned("let a = Mutex<\(type)>(b)") == [], "\(type)")
    }
  }

  @Test func `commands may print and tests may not sleep`() {
    #expect(banned("print(5)", at: "Sources/KettleCommands/A.swift") == [])
    #expect(banned("print(5)", at: "Examples/A/A.swift") == [])
    #expect(banned("print(5)", at: "Tests/KettleSchedulerTests/A.swift") == [])
    #expect(banned("usleep(5)", at: "Tests/KettleSchedulerTests/A.swift") == [1])
    #expect(banned("let a = Process()", at: "Tests/KettleSchedulerTests/A.swift") == [1])
    #expect(banned("let a = ofThisProcess()", at: "Tests/KettleSchedulerTests/A.swift") == [])
    #expect(banned("let a = b!", at: "Tests/KettleSchedulerTests/A.swift") == [1])
    let pause = "try await WorkerPool.pause(for: .seconds(5))"
    #expect(banned(pause, at: "Tests/KettleDaemonTests/A.swift") == [1])
    #expect(banned(pause, at: "Sources/KettleDaemon/A.swift") == [])
    #expect(banned(pause, at: "Tests/KettleEngineTests/Threads/WorkerPoolTests.swift") == [])
  }

  @Test func `a lock that ThreadSanitizer cannot see is found`() {
    let lock = "import Synchronization\nlet a = Mutex(5)"
    #expect(banned(lock) == [1])
    #expect(banned("import Synchronization\na.withLock { $0 = 5 }") == [1])
    #expect(banned("import struct Synchronization.Mutex") == [1])
    #expect(banned("import Synchronization\nlet a = Atomic(5)") == [])
    #expect(banned("import struct Synchronization.Atomic\nlet a = Mutex(5)") == [])
    #expect(banned(lock, at: "Examples/A/A.swift") == [])
    #expect(banned(lock, at: "Tests/AppleSourceSwift6Tests/A.swift") == [])
    #expect(
      banned("import struct Synchronization.Mutex", at: "Sources/KettleSystem/Mutex.swift") == [])
  }

  @Test func `an unchecked annotation needs a comment above it`() {
    #expect(banned("/// The lock guards all of it.\nfinal class A: @unchecked Sendable {") == [])
    #expect(banned("// The lock.\nfinal class A:\n  B, @unchecked Sendable\n{") == [])
    #expect(banned("// Of another.\nlet b = { 5 }\nnonisolated(unsafe) var a = 5") == [3])
    #expect(banned("// Far away.\n\nnonisolated(unsafe) var a = 5") == [3])
  }

  // MARK: Words

  @Test func `forbidden words are found`() {
    for word in WordRule.postponed {
      #expect(lines(WordRule.findings(in: source("a\n// \(word): b"))) == [2])
      #expect(WordRule.findings(in: source("a\(word)b \(word)s")) == [])
    }
    for word in WordRule.foreign {
      #expect(lines(WordRule.findings(in: source("a\nb \"\(word)c\"", at: "docs/a.md"))) == [2])
    }
    #expect(WordRule.findings(in: source("/home/me/wor" + "k/a")) == [])
  }

  @Test(arguments: ["FileUtils", "StringHelpers", "TransferManager", "Manager+A"])
  func `a vague file name is found`(name: String) {
    #expect(lines(WordRule.findings(in: source("", at: "Sources/A/\(name).swift"))) == [0])
  }

  // MARK: Documents

  @Test func `a target without a row, or with an empty cell, is found`() {
    let document = source(
      """
      | target | what it is | invariant |
      |---|---|---|
      | **pure** | | |
      | `A` | Does it. | Never b. |
      | `B` | Does it. | |
      | `C` | | Never c. |
      `D` does it, and never d.
      | `E` | Does it. |
      """, at: "docs/a.md")
    let found = DocumentRule.undescribedTargets(["A", "B", "C", "D", "E"], in: document)
    #expect(found.count == 4)
  }

  @Test func `a row for a target that does not exist is found`() {
    let document = source("| `A` | Does it. | Never b. |\n| `B` | Does it. | Never c. |")
    #expect(lines(DocumentRule.unknownTargets(["A"], in: document)) == [2])
  }

  @Test func `a broken link is found`() {
    let there: Set<String> = ["docs/a.md", "README.md", "docs/b/c.md"]
    let document = source(
      """
      [a](a.md) [up](../README.md#top) [self](#here) [web](https://example.org/x.md)
      [gone](gone.md) and [deep](./b/c.md)
      [up](../gone.md#top)
      """, at: "docs/a.md")
    let broken = DocumentRule.brokenLinks(in: document, exists: there.contains)
    #expect(lines(broken) == [2, 3])
  }

  @Test func `a document named in a comment must exist`() {
    let file = source("// See docs/a.md.\n// As docs/b-c.md says.")
    #expect(lines(DocumentRule.missingDocuments(in: file) { $0 == "docs/a.md" }) == [2])
  }

  @Test func `the states of a diagram and the cases of an enum are parsed`() {
    let document = source(
      """
      ## Other
      ```mermaid
      x --> y
      ```
      ## States
      ```mermaid
      stateDiagram-v2
        [*] --> idle
        idle --> running: start --> now
        running --> idle
      ```
      a --> b
      """, at: "docs/a.md")
    #expect(DocumentRule.statesDrawn(under: "States", in: document) == ["idle", "running"])
    let file = source(
      """
      public enum State: String {
        /// Why.
        case idle
        case running(Int, next: After), done
        var isDone: Bool {
          switch self {
          case .idle: false
          case extra
          }
        }
      }
      enum Other { 
        case other
      }
      """)
    let cases = DocumentRule.cases(ofEnum: "public enum State", in: file)
    #expect(cases == ["idle", "running", "done"])
  }

  @Test func `the manifest is parsed with its products`() {
    let manifest = Manifest(
      source(
        """
        let grdb = outside("GRDB", "GRDB.swift")
        let package = Package(
          targets: [
            .systemLibrary(name: "CKettleLinux"),
            .target(name: "CKettleCurl", dependencies: ["CKettleLinux"]),
            target("A"),
            target("B", ["A", "CKettleCurl", grdb]),
            target(
              "C",
              [
                "A", "B",
              ]),
            .executableTarget(
              name: "d", dependencies: ["C"],
              swiftSettings: strict),
            .executableTarget(
              name: "e-f", dependencies: ["A"], path: "Examples/F",
              swiftSettings: strict),
            .executableTarget(
              name: "e-g", dependencies: ["B"], path: "Examples/G"),
            tests("ATests", ["A"]),
          ])
        """, at: "Package.swift"))
    let expected: [String: Set<String>] = [
      "CKettleLinux": [], "CKettleCurl": ["CKettleLinux"], "A": [],
      "B": ["A", "CKettleCurl", "GRDB"], "C": ["A", "B"],
      "d": ["C"], "Examples": ["A", "B"],
    ]
    #expect(manifest.dependencies == expected)
    #expect(manifest.products == ["GRDB"])
    #expect(
      manifest.allDependencies(of: "d") == ["A", "B", "C", "CKettleCurl", "CKettleLinux", "GRDB"])
  }
}
