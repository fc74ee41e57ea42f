/// One message, in either direction (D-Bus Specification, "Message Protocol").
package struct BusMessage: Hashable, Sendable {
  /// The called method or the emitted signal.
  package struct Member: Hashable, Sendable {
    package var path: String
    package var interface: String?
    package var name: String

    package init(path: String, interface: String?, name: String) {
      self.path = path
      self.interface = interface
      self.name = name
    }
  }

  package enum Kind: Hashable, Sendable {
    case call(Member)
    case reply(to: UInt32)
    case failure(name: String, to: UInt32)
    case signal(Member)
    /// A kind that a later version of the bus may define; skipped.
    case unknown(UInt8)
  }

  package struct Flags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let noReplyExpected = Flags(rawValue: 1)
    /// The bus does not start a service for it.
    package static let noAutoStart = Flags(rawValue: 2)
  }

  package var kind: Kind
  package var flags: Flags = []
  /// Numbers the messages of one sender, from 1.
  package var serial: UInt32
  package var destination: String?
  /// Set by the bus, so it can be trusted.
  package var sender: String?
  package var body: [BusValue] = []

  package init(_ kind: Kind, serial: UInt32) {
    self.kind = kind
    self.serial = serial
  }
}
