extension TransferSnapshot {
  /// What people know it by: the name of the file when nobody gave a title.
  package var shownTitle: String {
    if !title.isEmpty { return title }
    if let name = path?.split(separator: "/").last { return String(name) }
    return url
  }
}
