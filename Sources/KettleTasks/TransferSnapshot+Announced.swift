import KettleModel

extension TransferSnapshot {
  /// The total length as the server announced it, or nil. The service knows the length once the
  /// last byte has arrived anyway, and a program may have supplied a guess.
  package var bytesAnnounced: Int64? {
    guard let reply = task?.reply else { return bytesExpected }
    let isSaid = reply.headers.contains { $0.name.lowercased() == "content-length" }
    return isSaid ? bytesExpected : nil
  }
}
