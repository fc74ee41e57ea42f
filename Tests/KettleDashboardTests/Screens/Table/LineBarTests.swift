import Foundation
import KettleModel
import Testing

@testable import KettleDashboard

struct LineBarTests {
  private func row(
    _ state: TransferState = .running, parts: String? = nil,
    _ change: (inout TransferSnapshot) -> Void = { _ in }
  ) throws -> TransferSnapshot {
    let ridge = try parts.map {
      try JSONDecoder().decode(Ridge.self, from: Data("\"\($0)\"".utf8))
    }
    return Sample.row(1, titled: "x", state: state) {
      ($0.bytesReceived, $0.bytesExpected, $0.ridge) = (50, 100, ridge)
      change(&$0)
    }
  }

  private func canvas(
    _ row: TransferSnapshot, width: Int = 8, step: Int64? = nil, _ look: Look = .text
  ) -> Canvas {
    var canvas = Canvas(size: ScreenSize(columns: width, rows: 1), look: look)
    LineBar(row, step: step).draw(on: &canvas, row: 0, column: 0, width: width)
    return canvas
  }

  private func text(
    _ row: TransferSnapshot, width: Int = 8, step: Int64? = nil, _ look: Look = .text
  ) -> String {
    canvas(row, width: width, step: step, look).frame.lines[0]
  }

  @Test func `bytes are heavy at their place in the file, and their growing ends are visible`()
    throws
  {
    let row = try row(parts: "44004400") { $0.connections = 1 }
    #expect(text(row) == "━╸──━━──")
    #expect(text(row, .ascii) == "=-..==..")
    let two = try self.row(parts: "44004400") { $0.connections = 8 }
    #expect(text(two) == "━╸──━╸──")
    let paused = try self.row(.paused, parts: "44004400")
    #expect(text(paused) == "━━──━━──")
  }

  @Test func `without speeds the bar is filled from the left, and never looks complete`() throws {
    #expect(text(try row()) == "━━━━────")
    #expect(text(try row { $0.bytesReceived = 1 }) == "━───────")
    #expect(text(try row { $0.bytesReceived = 99 }) == "━━━━━━━─")
    #expect(text(try row(.verifying)) == "━━━━━━━━")
  }

  @Test func `without a size a piece moves, and stays away while nothing does`() throws {
    let unknown = try row { $0.bytesExpected = nil }
    #expect(text(unknown, step: 0) == "━━━─────")
    #expect(text(unknown, step: 2) == "──━━━───")
    #expect(text(unknown) == "────────")
  }

  @Test func `the color says how fast the bytes came`() throws {
    let look = Look(charset: .utf8, colors: .trueColor)
    let cells = canvas(try row(parts: "18000000"), look).frame.cells
    #expect(cells[0].style.foreground == look.heat(0).foreground)
    #expect(cells[1].style.foreground == look.heat(1).foreground)
    #expect(look.heat(0).foreground != look.heat(1).foreground)
    #expect(cells[2].style.foreground == look.style(.track).foreground)
  }
}
