import KettleEngine
import KettleModel

extension ListedTransfers {
  /// Transfers of these states, from `http://a.example/`.
  static func sample(_ transfers: [(id: Int64, state: TransferState)]) -> ListedTransfers {
    guard case .success(let parsed) = TransferURL.parse("http://a.example/") else {
      preconditionFailure("A sample is no URL")
    }
    let changes = transfers.map { transfer in
      JournalChange.put(
        TransferRecord(
          id: TransferID(rawValue: transfer.id), taskIdentifier: transfer.id,
          spec: TransferSpec(url: parsed.url), createdAt: WallTime(millisecondsSince1970: 0),
          queuePosition: transfer.id, state: transfer.state))
    }
    return ListedTransfers(changes[...], RowMaker(documentsDirectory: "/d"))
  }
}
