/// The visible part of the form.
struct AddLayout {
  enum Row: Hashable {
    case url(Int)
    case setting(AddField)
  }

  static let labelWidth = 10

  let box: DialogBox
  /// The number of lines for the messages at the bottom.
  let verdictRoom: Int
  /// The first visible line of URLs.
  let firstURL: Int
  let shownRows: [Row]

  var rowRoom: Int { box.height - verdictRoom }

  init(_ form: AddForm, size: ScreenSize) {
    let settings = AddField.settings
    let most = DialogBox.heightMax(size)
    verdictRoom = most >= 15 ? 3 : most >= 6 ? 2 : 1
    let room = max(1, most - verdictRoom)
    // The settings are visible below the URLs, unless they would leave no room for them.
    let isInURLs = form.focus == .urls
    let left = room - settings.count
    let urlRoom = left >= 3 || !isInURLs ? max(1, left) : room
    let urlCount = min(form.urls.lines.count, urlRoom)
    let first = min(max(0, form.urls.row - urlCount + 1), form.urls.lines.count - urlCount)
    let rows =
      (0..<urlCount).map { Row.url(first + $0) } + settings.map { Row.setting($0) }
    let focused = isInURLs ? Row.url(form.urls.row) : Row.setting(form.focus)
    let index = rows.firstIndex(of: focused) ?? 0
    let skipped = min(max(0, index - room + 1), max(0, rows.count - room))
    firstURL = first
    shownRows = Array(rows.dropFirst(skipped).prefix(room))
    box = DialogBox(size: size, width: 100, height: shownRows.count + verdictRoom)
  }
}
