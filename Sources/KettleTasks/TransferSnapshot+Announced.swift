import KettleModel

extension TransferSnapshot {
  /// The length of the whole as the server said it; nil when it did not. The service knows it all
  /// the same once the last byte is there, and a program may have given it a guess.
  package var bytesAnnounced: Int64? {
    guard let reply = task?.reply else { return bytesExpected }
    let isSaid = reply.headers.contains { $0.name.lowercased() == "content-length" }
    return isSaid ? bytesExpected : nil
  }
}
