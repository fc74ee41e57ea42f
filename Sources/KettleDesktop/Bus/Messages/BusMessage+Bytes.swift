extension BusMessage {
  package func encoded(_ order: BusByteOrder = .little) throws(BusFault) -> [UInt8] {
    var body = BusWriter(order: order)
    for value in self.body { try body.append(value) }
    var writer = BusWriter(order: order)
    writer.append(number: order.rawValue)
    writer.append(number: typeNumber)
    writer.append(number: flags.rawValue)
    writer.append(number: BusMessageStart.version)
    guard serial > 0, body.bytes.count <= BusLimits.messageByteCountMax else {
      throw serial > 0 ? .tooLarge : .malformed
    }
    writer.append(number: UInt32(body.bytes.count))
    writer.append(number: serial)
    try writer.append(.array(of: .structure([.byte, .variant]), fields))
    writer.pad(to: 8)
    let bytes = writer.bytes + body.bytes
    guard bytes.count <= BusLimits.messageByteCountMax else { throw .tooLarge }
    return bytes
  }

  private var typeNumber: UInt8 {
    switch kind {
    case .call: 1
    case .reply: 2
    case .failure: 3
    case .signal: 4
    case .unknown(let number): number
    }
  }

  private var fields: [BusValue] {
    var fields: [BusValue] = []
    func add(_ field: BusHeaderField, _ value: BusValue?) {
      guard let value else { return }
      fields.append(.structure([.byte(field.rawValue), .variant(value)]))
    }
    switch kind {
    case .call(let member), .signal(let member):
      add(.path, .objectPath(member.path))
      add(.interface, member.interface.map { .string($0) })
      add(.member, .string(member.name))
    case .reply(let serial): add(.replySerial, .uint32(serial))
    case .failure(let name, let serial):
      add(.errorName, .string(name))
      add(.replySerial, .uint32(serial))
    case .unknown: break
    }
    add(.destination, destination.map { .string($0) })
    add(.sender, sender.map { .string($0) })
    if !body.isEmpty { add(.signature, .signature(body.map(\.type.text).joined())) }
    return fields
  }
}
