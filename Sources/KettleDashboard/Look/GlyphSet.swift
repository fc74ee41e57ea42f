import KettleModel

/// The symbols that the dashboard draws; each is one column wide.
package struct GlyphSet: Hashable, Sendable {
  package var states: [TransferState: String]
  package var arrowDown: String
  package var arrowUp: String
  /// Rising levels for the speeds.
  package var levels: [String]
  /// 1/8 to 8/8 of a cell; empty where the bar is drawn with brackets.
  package var eighths: [String]
  package var receivedCell: String
  package var missingCell: String
  package var horizontal: String
  package var vertical: String
  /// Top left, top right, bottom left, bottom right.
  package var corners: [String]
  package var good: String
  package var bad: String
  /// Shown beside a marked row.
  package var mark: String
  /// Beside the heading of a group with its rows, and without them.
  package var unfolded: String
  package var folded: String
  /// The visible part of a long list, and the rest.
  package var scrollbarThumb: String
  package var scrollbarTrack: String

  package func symbol(_ state: TransferState) -> String { states[state] ?? " " }

  package static let utf8 = GlyphSet(
    states: [
      .idle: "○", .scheduled: "◔", .queued: "·", .running: "▶", .waiting: "◷", .paused: "‖",
      .verifying: "≡", .completed: "✔", .failed: "✘",
    ],
    arrowDown: "↓", arrowUp: "↑", levels: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
    eighths: ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"], receivedCell: "█", missingCell: "░",
    horizontal: "─", vertical: "│", corners: ["┌", "┐", "└", "┘"], good: "✔", bad: "✘", mark: "◆",
    unfolded: "▾", folded: "▸", scrollbarThumb: "┃", scrollbarTrack: "│")

  package static let ascii = GlyphSet(
    states: [
      .idle: "o", .scheduled: "@", .queued: ".", .running: "*", .waiting: "~", .paused: "=",
      .verifying: "#", .completed: "+", .failed: "!",
    ],
    arrowDown: "v", arrowUp: "^", levels: ["_", ".", ":", "-", "=", "+", "*", "#"], eighths: [],
    receivedCell: "#", missingCell: ".", horizontal: "-", vertical: "|",
    corners: ["+", "+", "+", "+"], good: "+", bad: "!", mark: "x",
    unfolded: "v", folded: ">", scrollbarThumb: "#", scrollbarTrack: "|")

  /// Symbols that nearly all console fonts of Debian have, and ASCII for the others.
  package static let console: GlyphSet = {
    var glyphs = ascii
    glyphs.states[.queued] = "·"
    glyphs.states[.running] = "▶"
    glyphs.arrowDown = "↓"
    glyphs.arrowUp = "↑"
    glyphs.levels = ["_", "░", "▒", "█"]
    glyphs.eighths = ["░", "░", "░", "▒", "▒", "▒", "▒", "█"]
    glyphs.receivedCell = "█"
    glyphs.missingCell = "░"
    glyphs.horizontal = "─"
    glyphs.vertical = "│"
    glyphs.corners = ["┌", "┐", "└", "┘"]
    glyphs.scrollbarThumb = "█"
    glyphs.scrollbarTrack = "│"
    return glyphs
  }()
}
