import Foundation
import KettleDashboard
import KettleModel
import Testing

/// Whole screens at five sizes, as texts in the directory `Pictures`.
///
/// After a deliberate change, `KETTLE_DRAW_PICTURES=1 swift test --filter PicturesTests` draws them
/// again; the difference in the repository is then what was changed.
struct PicturesTests {
  enum Scene: String, CaseIterable {
    case list, pane, palette
    case needsYou = "needs-you"
    case add, link, login, limit
    case page, certificate
    case freshLink = "fresh-link"
    case remove, reset
    case removeFile = "remove-file"
    case removeMarked = "remove-marked"
    case bin
    case emptyBin = "empty-bin"
    case sort, view, search, filter, help, details

    func model(_ size: ScreenSize) -> Dashboard {
      var list = LongList(0)
      (list.rows, list.isGrouped) = (rows, true)
      var model = list.model(columns: size.columns, rows: size.rows)
      if self == .freshLink {
        let directories = UserDirectories(home: "/home/me", workingDirectory: "/home/me")
        _ = model.update(.directoriesKnown(directories), at: Sample.now)
      }
      for key in keys { list.press(key, in: &model) }
      // It is open already on a large screen.
      if self == .pane, model.list.pane == nil { list.press(.tab, in: &model) }
      if self == .bin || self == .emptyBin {
        _ = model.update(.commandFinished(.binListed(Sample.bin)), at: Sample.now)
      }
      if self == .pane || self == .details {
        _ = model.update(.detailsArrived(Sample.details), at: Sample.now)
      }
      if self == .emptyBin { list.press(.character("D"), in: &model) }
      return model
    }

    private var rows: [TransferSnapshot] {
      switch self {
      case .page: [Sample.pageInstead] + Sample.rows.filter { $0.id != Sample.pageInstead.id }
      case .certificate: [Sample.untrusted] + Sample.rows.filter { $0.id != Sample.untrusted.id }
      case .freshLink: [Sample.deadLink] + Sample.rows.filter { $0.id != Sample.deadLink.id }
      case .list, .pane, .palette, .needsYou, .add, .link, .login, .limit, .remove, .reset,
        .removeFile, .removeMarked, .bin, .emptyBin, .sort, .view, .search, .filter, .help,
        .details:
        Sample.rows
      }
    }

    /// What is pressed; `!` leaves only the rows that need the user.
    private var keys: [Key] {
      let typed: (String) -> [Key] = { $0.map { .character($0) } }
      return switch self {
      case .list, .pane: []
      case .palette: typed(":p")
      case .needsYou: typed("!")
      case .add: typed("a") + [.paste("https://example.org/a.iso\nnot a link")]
      case .link: typed("u")
      case .login: typed("!u") + typed("anna:secret")
      case .limit: typed("l500K")
      case .page, .certificate, .freshLink: typed("!u")
      case .remove: typed("d")
      case .reset: typed("R")
      case .removeFile: typed("/AV Foundation") + [.enter] + typed("D")
      case .removeMarked: typed("  d")
      case .bin, .emptyBin: typed("b")
      case .sort: typed("o")
      case .view: typed("v")
      case .search: typed("/over")
      case .filter: typed("\\state:waiting")
      case .help: typed("?")
      case .details: [.enter]
      }
    }
  }

  @Test(arguments: Scene.allCases, ["40x12", "80x24", "100x28", "120x35", "200x60"])
  func `every screen is as in its picture`(scene: Scene, size: String) throws {
    let sides = size.split(separator: "x").compactMap { Int($0) }
    let model = scene.model(ScreenSize(columns: try #require(sides.first), rows: sides[1]))
    let lines = model.screen().lines
    #expect(lines.count == sides[1])
    let drawn = lines.joined(separator: "\n") + "\n"
    let file = Self.directory.appendingPathComponent("\(scene.rawValue)-\(size).txt")
    if ProcessInfo.processInfo.environment["KETTLE_DRAW_PICTURES"] == "1" {
      try drawn.write(to: file, atomically: true, encoding: .utf8)
    }
    let expected = try String(contentsOf: file, encoding: .utf8)
    #expect(drawn == expected, "the screen \(scene.rawValue) at \(size) is another:\n\(drawn)")
  }

  @Test func `every picture belongs to a screen`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.directory.path)
    #expect(files.count == Scene.allCases.count * 5)
  }

  private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Pictures")
}
