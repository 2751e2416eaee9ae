dstack apply --file task.dstack.yml
