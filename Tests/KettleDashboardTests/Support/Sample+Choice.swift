import KettleDashboard
import KettleModel

/// A collection whose files are to be chosen.
extension Sample {
  static let choiceID = TransferID(rawValue: 3)

  static func member(
    _ number: Int64, _ path: String, _ byteCount: Int64? = mebibyte
  ) -> NumberedMember? {
    guard let place = MemberPath(foreign: path),
      case .success(let parsed) = TransferURL.parse("https://example.org/\(path)")
    else { return nil }
    return NumberedMember(
      number: number, member: ListedMember(path: place, url: parsed.url, byteCount: byteCount))
  }

  static let members = [
    member(0, "README.md", 4096), member(1, "weights/b.safetensors", 3 << 30),
    member(2, "weights/a.safetensors", 2 << 30), member(3, "weights/old/c.bin", nil),
    member(5, "config.json", 700),
  ].compactMap(\.self)

  static let collectionToChoose = row(3, titled: "hf://org/model", state: .paused) { row in
    guard case .success(let parsed) = TransferURL.parse("https://example.org/") else { return }
    var request = CollectionRequest(
      CollectionSource(.hub, name: "hf://org/model", url: parsed.url))
    request.list = CollectionList()
    request.pausesWhenListed = true
    row.collection = CollectionProgress(request)
  }

  /// The dashboard while the user chooses files.
  static func choosing(columns: Int, rows: Int) -> Dashboard {
    var model = model(columns: columns, rows: rows, showing: [collectionToChoose])
    _ = model.press(.home, .enter)
    _ = model.update(.membersArrived(choiceID, members), at: now)
    _ = model.update(.membersArrived(choiceID, []), at: now)
    return model
  }
}
