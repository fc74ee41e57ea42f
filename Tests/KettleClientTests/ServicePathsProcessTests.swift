import Glibc
import KettleClient
import KettleControl
import Testing

struct ServicePathsProcessTests {
  @Test func `the file of the desktop is read where the environment says`() throws {
    let world = try ClientWorld()
    _ = try world.write("user-dirs.dirs", "XDG_DOWNLOAD_DIR=\"$HOME/Eingang\"\n")
    let paths = ServicePaths.of(
      environment: ["HOME": world.root, "XDG_CONFIG_HOME": world.root])
    #expect(paths.documentsDirectory == world.root + "/Eingang")
  }

  // Fault 121
  @Test func `a runtime directory that is missing or another user's is passed over`() throws {
    let world = try ClientWorld()
    let own = ServicePaths.of(
      environment: ["HOME": world.root, "XDG_RUNTIME_DIR": world.root])
    #expect(own.runtimeDirectory == world.root + "/kettle")
    let missing = ServicePaths.of(
      environment: ["HOME": world.root, "XDG_RUNTIME_DIR": world.root + "/none"])
    #expect(missing.runtimeDirectory == missing.stateDirectory + "/run")
  }

  @Test func `without HOME the password database tells it`() throws {
    let entry = try #require(getpwuid(geteuid()))
    let home = String(cString: entry.pointee.pw_dir)
    #expect(ServicePaths.of(environment: [:]).homeDirectory == home)
  }
}
