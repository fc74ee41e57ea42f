import Foundation
import Glibc
import KettleDashboard
import KettleModel
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct ChoicesFileTests {
  private let home: TemporaryDirectory
  private var environment: [String: String] { ["HOME": home.path] }
  private var directory: String { home.path + "/.local/state/kettle" }
  private var path: String { directory + "/dashboard.json" }
  private let choices = DashboardChoices(
    sort: RowSort(key: .size, isDescending: true), pane: .events)

  init() throws { home = try TemporaryDirectory() }

  private func put(_ bytes: Data) throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try bytes.write(to: URL(filePath: path))
  }

  private func mode(of path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test func `what was written is read, and the directory is private`() async throws {
    let before = mode(of: home.path)
    let file = ChoicesFile(environment: environment)
    #expect(file.read() == DashboardChoices())
    file.write(DashboardChoices(pane: .speed))
    file.write(choices)
    await file.finish()
    #expect(ChoicesFile(environment: environment).read() == choices)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["dashboard.json"])
    #expect(mode(of: directory) == 0o700 && mode(of: path) == 0o600)
    #expect(mode(of: home.path) == before)
    file.write(DashboardChoices())
    await file.finish()
    #expect(file.read() == DashboardChoices())
  }

  @Test func `the form of the file`() async throws {
    let file = ChoicesFile(environment: environment)
    file.write(choices)
    await file.finish()
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    #expect(object?["pane"] as? String == "events")
    let sort = object?["sort"] as? [String: Any]
    #expect(sort?["key"] as? String == "size" && sort?["isDescending"] as? Bool == true)
  }

  @Test(arguments: [
    "", "{", "nonsense", "[]", "null", "7", "\"pane\"", "{}",
    #"{"pane":null,"sort":null}"#, #"{"pane":"all","sort":{"key":"color"}}"#,
    #"{"pane":7,"sort":[]}"#, #"{"sort":{"isDescending":true}}"#,
  ])
  func `an invalid file counts as none`(text: String) throws {
    try put(Data(text.utf8))
    #expect(ChoicesFile(environment: environment).read() == DashboardChoices())
  }

  @Test func `unknown members are ignored, and so is one that another version wrote`() throws {
    try put(Data(#"{"theme":{"a":[1]},"folded":["done","?"],"pane":"parts","sort":"x"}"#.utf8))
    #expect(ChoicesFile(environment: environment).read() == DashboardChoices(pane: .parts))
  }

  @Test func `hostile contents do no harm`() throws {
    let file = ChoicesFile(environment: environment)
    let nested = String(repeating: "[", count: 200_000)
    try put(Data(#"{"pane":"parts","x":\#(nested)"#.utf8))
    #expect(file.read() == DashboardChoices())
    let long = String(repeating: "x", count: ChoicesFile.byteCountMax)
    try put(Data(#"{"pane":"parts","x":"\#(long)"}"#.utf8))
    #expect(file.read() == DashboardChoices())
    try put(Data([0xFF, 0xFE, 0, 0x7B]))
    #expect(file.read() == DashboardChoices())
  }

  @Test func `a file that cannot be read or written is no error`() async throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let blocked = ChoicesFile(environment: environment)
    let nowhere = ChoicesFile(environment: ["HOME": "/dev/null"])
    for file in [blocked, nowhere] {
      file.write(choices)
      await file.finish()
      #expect(file.read() == DashboardChoices())
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["dashboard.json"])
  }

  @Test func `a choice right before leaving is kept`() async throws {
    var context = FakeContext()
    context.environment = environment
    let session = try await DashboardSession.open(
      DashboardRequest(address: context.context.address, client: "kettle"), in: context.context)
    session.perform(.remember(choices))
    await session.close()
    #expect(ChoicesFile(environment: environment).read() == choices)
  }
}
