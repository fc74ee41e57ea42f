import KettleSystem

extension FreeNameRename {
  func rename(_ name: String, to newName: String, in directory: Directory) throws(Errno) {
    var own = self
    own.calls = directory.calls.naming
    do throws(SystemError) {
      try own.rename(name, to: newName, in: directory.descriptor)
    } catch {
      throw Errno(rawValue: error.code)
    }
  }
}

extension FileCalls {
  fileprivate var naming: FreeNameRename.Calls {
    var naming = FreeNameRename.Calls()
    naming.renameToFree = renameToFree
    naming.link = link
    naming.rename = rename
    return naming
  }
}
