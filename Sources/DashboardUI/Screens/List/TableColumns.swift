/// Where the columns of the table are. What does not fit is left out, the least needed first.
package struct TableColumns: Hashable, Sendable {
  /// What the list is of.
  package enum Purpose: Hashable, Sendable {
    case all
    /// Finished transfers alone: where they came from and when, not how they go.
    case finished
  }

  /// The cursor's mark; the sign of the state is beside it.
  package static let markColumn = 0
  package static let symbolColumn = 1
  private static let fileStart = 4

  package private(set) var file = fileStart..<(fileStart + 1)
  package private(set) var bar: Range<Int>?
  package private(set) var percent: Range<Int>?
  package private(set) var size: Range<Int>?
  package private(set) var speed: Range<Int>?
  package private(set) var left: Range<Int>?
  package private(set) var connections: Range<Int>?
  package private(set) var host: Range<Int>?
  package private(set) var session: Range<Int>?
  /// When it was added; of finished ones, when they were.
  package private(set) var date: Range<Int>?

  /// Words in place of the numbers may take all from the speed to the last column about how it
  /// goes.
  package private(set) var words = 0..<0

  private enum Column: Hashable {
    case bar, percent, size, speed, left, connections, host, session, date
  }

  package init(width: Int, purpose: Purpose = .all) {
    switch purpose {
    case .all:
      for choice in Self.choices where place(choice, width: width) { return }
    case .finished:
      for choice in Self.choicesOfFinished where place(choice, width: width) { return }
    }
  }

  /// From the fullest to the barest, which always fits.
  private static let choices: [[Column]] = [
    [.bar, .percent, .size, .speed, .left, .connections, .host, .session, .date],
    [.bar, .percent, .size, .speed, .left, .connections, .host, .date],
    [.bar, .percent, .size, .speed, .left, .connections, .host],
    [.bar, .percent, .size, .speed, .left, .connections],
    [.bar, .percent, .size, .speed, .left],
    [.bar, .percent, .speed, .left],
    [.bar, .percent, .speed],
    [.percent, .speed],
  ]

  private static let choicesOfFinished: [[Column]] = [
    [.size, .host, .session, .date], [.size, .host, .date], [.size, .date], [.date],
  ]

  /// False when the file's name, or the bar, would be too short to be of use.
  private mutating func place(_ choice: [Column], width: Int) -> Bool {
    let isWide = choice.contains(.connections)
    let hasBar = choice.contains(.bar)
    let fixed = choice.reduce(0) {
      $0 + Self.gap(before: $1, hasBar: hasBar) + Self.width(of: $1, isWide: isWide)
    }
    // One column stays free at the end of the line.
    let room = width - Self.fileStart - fixed - 1
    let isBarest = choice == Self.choices.last || choice == Self.choicesOfFinished.last
    guard isBarest || room >= Self.roomMin(choice) else { return false }
    let barWidth = hasBar ? min(max(10, room / 3), 32) : 0
    var next = Self.fileStart + max(1, room - barWidth)
    file = Self.fileStart..<next
    for column in choice {
      next += Self.gap(before: column, hasBar: hasBar)
      let columnWidth = column == .bar ? barWidth : Self.width(of: column, isWide: isWide)
      put(column, at: next..<(next + columnWidth))
      next += columnWidth
    }
    let lastOfWords = connections ?? left ?? speed
    let isAtEnd = lastOfWords?.upperBound == next
    if let speed, let lastOfWords {
      words = speed.lowerBound..<(isAtEnd ? max(width, next) : lastOfWords.upperBound)
    }
    return true
  }

  /// For the file's name and the bar together.
  private static func roomMin(_ choice: [Column]) -> Int {
    if choice.contains(.host) { return choice.contains(.bar) ? 38 : 24 }
    return choice.contains(.bar) ? 26 : 16
  }

  private static func gap(before column: Column, hasBar: Bool) -> Int {
    switch column {
    // What is beside a bar needs no second blank.
    case .percent: hasBar ? 1 : 2
    case .bar, .size, .speed, .left, .connections, .host, .session, .date: 2
    }
  }

  /// The bar shares its room with the file's name.
  private static func width(of column: Column, isWide: Bool) -> Int {
    switch column {
    case .bar: 0
    case .percent: 5
    case .size: 12
    case .speed: isWide ? 13 : 11
    case .left: 8
    case .connections: 5
    case .host: 20
    case .session: 12
    case .date: 10
    }
  }

  private mutating func put(_ column: Column, at place: Range<Int>) {
    switch column {
    case .bar: bar = place
    case .percent: percent = place
    case .size: size = place
    case .speed: speed = place
    case .left: left = place
    case .connections: connections = place
    case .host: host = place
    case .session: session = place
    case .date: date = place
    }
  }
}
