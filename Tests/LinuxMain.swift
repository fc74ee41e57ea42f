import Testing

/// Runs the tests of all targets. SwiftPM's own entry point also looks for tests of XCTest, for
/// which it needs an index of everything that was compiled.
@main
enum LinuxMain {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
