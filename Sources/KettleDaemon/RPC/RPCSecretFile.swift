import KettleAria2
import KettleModel
import KettleSystem

/// The file with the secret, which `kettle rpc enable` makes.
enum RPCSecretFile {
  static func read(_ path: String) throws(RPCProblem) -> RPCSecret {
    switch FileContents.readPrivate(path: path, byteCountMax: RPCSecret.byteCountMax + 1) {
    case .bytes(let bytes):
      let text = String(decoding: bytes, as: UTF8.self).trimmingBlanks()
      guard let secret = RPCSecret(text) else {
        throw .secret(path: path, "it has fewer than \(RPCSecret.byteCountMin) characters")
      }
      return secret
    case .missing: throw .secret(path: path, "it is missing")
    case .unreadable(let detail): throw .secret(path: path, detail)
    }
  }
}
