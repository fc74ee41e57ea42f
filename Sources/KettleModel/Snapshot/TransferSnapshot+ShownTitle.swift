extension TransferSnapshot {
  /// The displayed name: the title, or else the name of the file.
  package var shownTitle: String {
    if !title.isEmpty { return title }
    if let name = path?.split(separator: "/").last { return String(name) }
    return url
  }
}
