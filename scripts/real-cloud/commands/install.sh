# install: what `up` needs of the machine, so that it can be there before `up`.

cmd_install() {
  own_folder
  one_at_a_time
  install_packages
}
