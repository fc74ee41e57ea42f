struct ClientID: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt64
}

/// The other end of one connection.
struct ConnectedClient: Sendable {
  let id: ClientID
  /// The process that connected.
  let processID: Int64
  let mailbox: ClientMailbox
}
