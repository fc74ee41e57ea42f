import KettleModel
import Testing

@testable import KettleDashboard

/// Navigating the details, and copying from them.
struct DetailsSectionTests {
  private func opened(_ change: (inout TransferDetails) -> Void = { _ in }) -> Dashboard {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.enter)
    var view = Sample.details
    change(&view)
    _ = model.update(.detailsArrived(view), at: Sample.now)
    return model
  }

  private func screen(_ model: Dashboard) -> DetailsScreen? {
    model.screens.last?.content as? DetailsScreen
  }

  private static func history(_ count: Int) -> [HistoryEntry] {
    (0..<count).map {
      .init(at: Sample.time(seconds: Int64($0)), .redirected(url: "event \($0)"))
    }
  }

  @Test func `arrows, Tab and numbers go through the sections`() {
    var model = opened()
    _ = model.press(.right, .tab)
    #expect(screen(model)?.section == .addresses)
    _ = model.press(.left, .backTab, .left)
    #expect(screen(model)?.section == .speed)
    for section in DetailsSection.allCases {
      _ = model.press(.character(Character("\(section.number)")))
      #expect(screen(model)?.section == section)
    }
  }

  @Test func `help has no sections`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("?"), .right)
    #expect(model.said == "There are no sections here")
  }

  @Test func `new events are followed unless the user has scrolled back from the end`() {
    var model = opened { $0.history = Self.history(100) }
    _ = model.press(.character("5"))
    #expect(model.screen().lines[22].hasSuffix("event 99"))
    var view = Sample.details
    view.history = Self.history(120)
    _ = model.update(.detailsArrived(view), at: Sample.now)
    #expect(model.screen().lines[22].hasSuffix("event 119"))
    _ = model.press(.up)
    view.history = Self.history(140)
    _ = model.update(.detailsArrived(view), at: Sample.now)
    #expect(model.screen().lines[22].hasSuffix("event 118"))
    _ = model.press(.end)
    view.history = Self.history(150)
    _ = model.update(.detailsArrived(view), at: Sample.now)
    #expect(model.screen().lines[22].hasSuffix("event 149"))
  }

  @Test func `the overview shows what to do`() {
    let model = opened {
      $0.snapshot.state = .waiting
      $0.snapshot.reason = .needsLogin
    }
    #expect(
      model.screen().lines.contains {
        $0.hasPrefix(" What to do      example.org requires a login")
      })
  }

  @Test(arguments: [
    (TransferState.completed, TransferFailure?.none, "matches the file"),
    (.verifying, nil, "being checked"),
    (.running, nil, "checked when the file is complete"),
    (.failed, TransferFailure(.checksumMismatch, on: "x"), "does not match the file"),
  ])
  func `the checksum is shown with its result`(
    state: TransferState, error: TransferFailure?, verdict: String
  ) {
    let model = opened {
      $0.snapshot.state = state
      $0.snapshot.error = error
    }
    #expect(model.screen().lines.contains { $0.hasPrefix(" Checksum        " + verdict) })
  }

  @Test func `a compressed file says so in its row and in the details`() {
    let model = opened {
      $0.snapshot.state = .completed
      $0.snapshot.contentCoding = "gzip"
    }
    #expect(
      model.screen().lines.contains {
        $0.hasPrefix(" Encoding        gzip, kept as the server sent it")
      })
    var row = Sample.row(1, titled: "a", state: .completed)
    row.contentCoding = "gzip"
    row.verifiedBy = .sha256
    #expect(Strings.proof(of: row) == "compressed (gzip)")
  }

  // MARK: - Copy and open

  @Test func `y copies the URL and Y the path, in the list and in the details`() {
    var model = Sample.model(columns: 80, rows: 24)
    #expect(model.press(.character("y")) == [.terminal(.copy("https://example.org/files/1"))])
    #expect(model.said == "URL copied to the clipboard")
    #expect(model.press(.character("Y")) == [])
    #expect(model.said == "It has no file yet")
    _ = model.press(.down, .down, .down)
    #expect(
      model.press(.character("Y")) == [.terminal(.copy("/home/me/Downloads/AVFoundation.pdf"))])
    var open = opened()
    #expect(open.press(.character("Y")) == [.terminal(.copy("/home/me/Downloads/Networking.pdf"))])
    #expect(open.said == "Path copied to the clipboard")
  }

  @Test func `the URLs of all marked transfers are copied, one per line`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character(" "), .character(" "))
    #expect(
      model.press(.character("y"))
        == [.terminal(.copy("https://example.org/files/1\nhttps://example.org/files/2"))])
    #expect(model.said == "2 URLs copied to the clipboard")
    #expect(model.press(.character("O")) == [])
    #expect(model.said == "Only one file can be opened at a time")
  }

  @Test func `the addresses have the page that the file was found on`() {
    var open = opened { $0.page = "https://example.org/files\u{202E}" }
    _ = open.press(.character("3"))
    let line = open.screen().lines.first { $0.contains("Found on") }
    #expect(line?.contains("https://example.org/files") == true)
    #expect(line?.contains("\u{202E}") == false)
  }

  @Test func `O opens a finished file`() {
    var model = Sample.model(columns: 80, rows: 24)
    #expect(model.press(.character("O")) == [])
    #expect(model.said == "Its file is not complete")
    _ = model.press(.down, .down, .down)
    let effects: [DashboardEffect] = [
      .service(.openFile(path: "/home/me/Downloads/AVFoundation.pdf"))
    ]
    #expect(model.press(.character("O")) == effects)
    var open = opened { $0.snapshot.state = .completed }
    #expect(
      open.press(.character("O")) == [
        .service(.openFile(path: "/home/me/Downloads/Networking.pdf"))
      ])
  }

  @Test func `nothing is copied from the help, and from an empty list`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("?"))
    #expect(model.press(.character("y")) == [])
    #expect(model.said == "Nothing here can be copied or opened")
    var empty = Sample.model(columns: 80, rows: 24, showing: [])
    #expect(empty.press(.character("y")) == [])
    #expect(empty.said == "The list is empty; a adds transfers")
  }
}
