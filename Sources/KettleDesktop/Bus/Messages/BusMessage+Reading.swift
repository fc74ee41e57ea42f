/// The fixed-size beginning of every message.
struct BusMessageStart {
  static let byteCount = 16
  static let version: UInt8 = 1

  let order: BusByteOrder
  let type: UInt8
  let flags: UInt8
  let serial: UInt32
  let bodyByteCount: Int
  /// The fields follow the start; the body begins at the next multiple of eight.
  let fieldsByteCount: Int

  var messageByteCount: Int {
    ((Self.byteCount + fieldsByteCount + 7) & ~7) + bodyByteCount
  }

  /// Returns nil until all its bytes have arrived.
  init?(_ bytes: ArraySlice<UInt8>) throws(BusFault) {
    guard let first = bytes.first else { return nil }
    guard let order = BusByteOrder(rawValue: first) else { throw .malformed }
    guard bytes.count >= Self.byteCount else { return nil }
    self.order = order
    var reader = BusReader(bytes.dropFirst().prefix(Self.byteCount - 1), order: order)
    type = try reader.number()
    flags = try reader.number()
    let version: UInt8 = try reader.number()
    let bodyByteCount: UInt32 = try reader.number()
    serial = try reader.number()
    let fieldsByteCount: UInt32 = try reader.number()
    guard version == Self.version, serial > 0, type > 0 else { throw .malformed }
    self.bodyByteCount = Int(bodyByteCount)
    self.fieldsByteCount = Int(fieldsByteCount)
    guard messageByteCount <= BusLimits.messageByteCountMax else { throw .tooLarge }
  }
}

extension BusMessage {
  /// Parses one complete message.
  init(bytes: ArraySlice<UInt8>) throws(BusFault) {
    guard let start = try BusMessageStart(bytes), start.messageByteCount <= bytes.count else {
      throw .cutOff
    }
    guard start.messageByteCount == bytes.count else { throw .malformed }
    var reader = BusReader(bytes, order: start.order)
    // The length of the fields is the last number of the start.
    try reader.skip(BusMessageStart.byteCount - 4)
    let fields = try BusHeaderFields(
      try reader.value(.array(.structure([.byte, .variant])), depth: 0))
    try reader.skipPadding(to: 8)
    self.init(try fields.kind(ofType: start.type), serial: start.serial)
    flags = Flags(rawValue: start.flags)
    destination = fields.destination
    sender = fields.sender
    guard let types = BusSignature.parse(fields.signature) else { throw .malformed }
    // The body begins at a multiple of eight, so it is aligned like the message.
    body = try reader.values(types)
    guard reader.isAtEnd else { throw .malformed }
  }
}
