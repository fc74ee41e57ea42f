import Glibc
import KettleControl
import KettleSocket
import KettleStarter
import Testing

struct ServicePathsProcessTests {
  @Test func `the user-dirs file is read at the path from the environment`() throws {
    let world = try ClientWorld()
    _ = try world.write("user-dirs.dirs", "XDG_DOWNLOAD_DIR=\"$HOME/Eingang\"\n")
    let paths = ServicePaths.of(
      environment: ["HOME": world.root, "XDG_CONFIG_HOME": world.root])
    #expect(paths.documentsDirectory == world.root + "/Eingang")
  }

  // Fault 169
  @Test func `a line of the user-dirs file that is not UTF-8 names no directory`() throws {
    let world = try ClientWorld()
    let path = try world.write("user-dirs.dirs", "XDG_DOWNLOAD_DIR=\"$HOME/T?\"\n")
    let file = open(path, O_WRONLY)
    defer { close(file) }
    // The position of the question mark.
    #expect(pwrite(file, [0xE9 as UInt8], 1, 25) == 1)
    let paths = ServicePaths.of(
      environment: ["HOME": world.root, "XDG_CONFIG_HOME": world.root])
    #expect(paths.documentsDirectory == world.root + "/Downloads")
  }

  // Fault 121
  @Test func `a runtime directory that is missing or another user's is ignored`() throws {
    let world = try ClientWorld()
    let own = ServicePaths.of(
      environment: ["HOME": world.root, "XDG_RUNTIME_DIR": world.root])
    #expect(own.runtimeDirectory == world.root + "/kettle")
    let missing = ServicePaths.of(
      environment: ["HOME": world.root, "XDG_RUNTIME_DIR": world.root + "/none"])
    #expect(missing.runtimeDirectory == missing.stateDirectory + "/run")
  }

  @Test func `without HOME the password database is used`() throws {
    let entry = try #require(getpwuid(geteuid()))
    let home = String(cString: entry.pointee.pw_dir)
    #expect(ServicePaths.of(environment: [:]).homeDirectory == home)
  }
}
