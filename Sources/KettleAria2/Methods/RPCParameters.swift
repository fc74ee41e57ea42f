import KettleModel

/// Reads the parameters of a call, one after the other.
struct RPCParameters {
  private let values: [RPCValue]

  init(_ values: [RPCValue]) { self.values = values }

  private subscript(_ index: Int) -> RPCValue? {
    values.indices.contains(index) ? values[index] : nil
  }

  func gid(_ index: Int = 0) throws(RPCError) -> GIDText {
    guard let text = self[index]?.text else { throw .badParameter(at: index) }
    guard let gid = GIDText(text) else { throw .invalidGID(text) }
    return gid
  }

  func text(_ index: Int) throws(RPCError) -> String {
    guard let text = self[index]?.text else { throw .badParameter(at: index) }
    return text
  }

  func integer(_ index: Int) throws(RPCError) -> Int {
    guard let number = self[index]?.integer, let number = Int(exactly: number) else {
      throw .badParameter(at: index)
    }
    return number
  }

  /// A list of texts; other elements are dropped.
  func texts(_ index: Int) throws(RPCError) -> [String] {
    guard let list = self[index]?.list else { throw .badParameter(at: index) }
    return list.compactMap(\.text)
  }

  /// An object that may be missing.
  func options(_ index: Int) throws(RPCError) -> [String: RPCValue] {
    switch self[index] {
    case nil, .null: return [:]
    case .object(let object): return object
    default: throw .badParameter(at: index)
    }
  }

  /// A position in the queue that may be missing.
  func position(_ index: Int) throws(RPCError) -> Int? {
    if self[index] == nil { return nil }
    let position = try integer(index)
    guard position >= 0 else {
      throw .refused("The position \(position) is negative; give 0 or more")
    }
    return position
  }

  func keys(_ index: Int) throws(RPCError) -> StatusKeys {
    guard let value = self[index], value != .null else { return .all }
    guard let list = value.list else { throw .badParameter(at: index) }
    return list.isEmpty ? .all : .some(Set(list.compactMap(\.text)))
  }

  func window() throws(RPCError) -> RPCWindow {
    let window = RPCWindow(offset: try integer(0), count: try integer(1))
    guard window.count >= 0 else {
      throw .refused("The number of downloads is \(window.count); give 0 or more")
    }
    return window
  }

  /// The bytes of a file, as Base64.
  func file(_ index: Int) throws(RPCError) -> [UInt8] {
    // Writers of XML-RPC break the lines.
    let text = try text(index).filter { !$0.isWhitespace }
    guard let bytes = Base64Bytes(text)?.bytes else {
      throw .refused("The parameter at \(index) is not Base64")
    }
    return bytes
  }
}
