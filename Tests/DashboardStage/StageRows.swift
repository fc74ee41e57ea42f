import KettleModel

/// Rows as a service sends them, and as no service should.
enum StageRows {
  static let ordinary: [TransferSnapshot] = (1...40).map { number in
    row(number, "file-\(number).iso", number == 1 ? .running : .paused)
  }

  /// Everything that a terminal could obey, or count wrongly, in every field.
  static let hostile: [TransferSnapshot] = hostileTexts.enumerated().map { index, text in
    let states = TransferState.allCases
    var row = row(index + 1, text, states[index % states.count])
    row.url = text
    row.path = "/" + text
    row.session = SessionID(rawValue: text)
    row.reason = .retry
    row.error = TransferFailure(.httpStatus, on: text, detail: text)
    return row
  }

  private static let hostileTexts = [
    "\u{1B}[31337mcolor", "\u{1B}]0;title\u{7}", "\u{1B}]52;c;aGVsbG8=\u{7}",
    "\u{1B}P+q544e\u{1B}\\", "\u{1B}[6n\u{1B}[5i", "\u{9B}31m\u{9D}0;t\u{9C}\u{90}x\u{9C}",
    "\u{1B}c\u{1B}#8\u{E}\u{F}", "a\r\n\u{B}b\tc\u{8}\u{0}\u{7F}", "\u{202E}gpj.exe\u{2066}",
    "a\u{200B}\u{200D}\u{FEFF}\u{2060}b", "\u{2028}\u{2029}\u{85}", "\u{E0041}\u{E007F}",
    String(repeating: "x", count: 10_000), String(repeating: "文", count: 10_000),
    "e" + String(repeating: "\u{301}", count: 3000), "👩‍👩‍👧‍👦🇩🇪👍🏿✔️", "\u{301}\u{301}",
    "\u{FFFF}\u{10FFFF}\u{E000}", "ﷺ\u{A9C5}", "",
  ]

  private static func row(
    _ number: Int, _ title: String, _ state: TransferState
  ) -> TransferSnapshot {
    var row = TransferSnapshot(
      id: TransferID(rawValue: Int64(number)), session: .kettle, taskIdentifier: Int64(number),
      title: title, url: "https://example.org/\(number)", state: state,
      createdAt: WallTime(millisecondsSince1970: 0))
    row.bytesReceived = Int64(number) * 1000
    row.bytesExpected = 100_000
    return row
  }
}
