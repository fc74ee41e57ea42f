import FoundationEssentials
import KettleClient
import KettleControl
import KettleModel
import KettleStarter
import KettleSystem

/// The secret of the RPC, in a file that only the user can read.
enum RPCSecretText {
  private static let byteCountMax = 1 << 20
  private static let digitCount = 32

  /// Returns the secret in the file. Makes a new one if there is none, or if `isNew`.
  static func prepare(in context: CommandContext, isNew: Bool = false) throws -> String {
    let paths = ServicePaths.of(environment: context.environment)
    if !isNew, let text = read(paths) { return text }
    let text = make()
    guard try paths.makeStateDirectory() else {
      throw ConfigurationError(
        .unwritable("its directory cannot be made"), path: paths.rpcSecretPath)
    }
    do throws(SystemError) {
      try FileReplacement.write(Array((text + "\n").utf8), to: paths.rpcSecretPath, mode: 0o600)
    } catch {
      throw ConfigurationError(.unwritable(error.message), path: paths.rpcSecretPath)
    }
    return text
  }

  static func read(in context: CommandContext) -> String? {
    read(ServicePaths.of(environment: context.environment))
  }

  private static func read(_ paths: ServicePaths) -> String? {
    let contents = FileContents.read(path: paths.rpcSecretPath, byteCountMax: byteCountMax)
    guard case .bytes(let bytes) = contents else { return nil }
    let text = String(decoding: bytes, as: UTF8.self).trimmingBlanks()
    return text.isEmpty ? nil : text
  }

  /// Letters and digits, because people copy it. Two look like others and are left out.
  private static func make() -> String {
    let letters = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
    var random = SystemRandomNumberGenerator()
    return String((0..<digitCount).compactMap { _ in letters.randomElement(using: &random) })
  }
}
